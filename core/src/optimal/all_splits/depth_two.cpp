#include "depth_two.hpp"

#include <limits>
#include <numeric>

#include "../../simd/kernels.hpp"
#include "pair_search.hpp"

namespace mixedwood::optimal::all_splits {
namespace {

constexpr std::int32_t kManyRows = 20'000;

}  // namespace

template <typename T>
DepthTwoResult PairSearch<T>::solve(const Rows& rows, int max_splits, std::int64_t bound,
                                    std::vector<std::int64_t>& lower_of) {
  rows_ = &rows;
  max_splits_ = max_splits;
  found_ = {};
  const std::int64_t leaf = rows.errors() + objective_.leaf_penalty;
  const std::int64_t least_split = rows.unavoidable + 2 * objective_.leaf_penalty;
  if (leaf <= bound) found_.cost = leaf;
  best_ = std::min(bound + 1, leaf);
  if (least_split >= best_ || rows.n < 2 * objective_.min_samples_leaf) {
    found_.lower = rows.n < 2 * objective_.min_samples_leaf ? leaf : std::min(leaf, least_split);
    for (std::int64_t& lower : lower_of) lower = std::max(lower, least_split);
    return found_;
  }
  classes_ = PresentClasses(rows);
  items_.start(rows, classes_);
  ordered_.clear();
  nominal_.clear();
  for (std::size_t o = 0; o < features_.list.size(); ++o)
    if (items_.useful(o)) (features_.list[o].nominal ? nominal_ : ordered_).push_back(o);

  // With a penalty per leaf, or two splits only, a root that leaves one side empty may be cheaper
  // than any that does not.
  std::int64_t with_empty_side = kInfinity;
  if (objective_.leaf_penalty > 0 || max_splits < 3) {
    StumpSearch free(features_, 1);
    with_empty_side = std::min(rows.errors() + 2 * objective_.leaf_penalty,
                               free.best(rows).errors + 3 * objective_.leaf_penalty);
  }
  std::vector<std::size_t> order(lower_of.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Likely roots first; nominal ones of many values last, since they may take all the time.
  const auto many_values = [&](std::size_t o) {
    if (!features_.list[o].nominal || !items_.useful(o)) return std::size_t{0};
    return items_.n_values(o) > kManyValues ? items_.n_values(o) : std::size_t{0};
  };
  const auto sort_by_bound = [&] {
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::pair(many_values(a), lower_of[a]) < std::pair(many_values(b), lower_of[b]);
    });
  };
  sort_by_bound();
  // Many rows: a rough look at every root first, so that a stop finds a bound for each.
  if (rows.n > kManyRows) {
    for (const std::size_t o : ordered_)
      if (lower_of[o] < best_ && !watch_.has_stopped())
        lower_of[o] = std::max(lower_of[o], std::min(thresholds(o, 1), with_empty_side));
    sort_by_bound();
  }
  std::int64_t lower = leaf;
  for (const std::size_t o : order) {
    if (!items_.useful(o)) continue;
    std::int64_t proven = std::max(lower_of[o], least_split);
    if (proven < best_ && !watch_.has_stopped())
      proven = std::max(proven, features_.list[o].nominal ? subsets(o) : thresholds(o));
    lower = std::min(lower, proven);
    lower_of[o] = std::max(lower_of[o], std::min(proven, with_empty_side));
  }
  found_.lower = lower;
  return found_;
}

template <typename T>
std::int64_t PairSearch<T>::offer(Split split, SideErrors left, SideErrors right) {
  std::int64_t price = cost(left, right);
  if (price >= best_) return price;
  if (objective_.min_samples_leaf > 1) {
    mark(features_, *rows_, split, side_);
    divide(features_, *rows_, side_, left_rows_, right_rows_);
    if (left_rows_.n < objective_.min_samples_leaf || right_rows_.n < objective_.min_samples_leaf) return kInfinity;
    left = {left_rows_.errors(), stumps_.best(left_rows_).errors};
    right = {right_rows_.errors(), stumps_.best(right_rows_).errors};
    price = cost(left, right);
    if (price >= best_) return price;
  }
  best_ = price;
  found_.cost = price;
  found_.split = std::move(split);
  found_.left_stump = found_.right_stump = true;
  if (max_splits_ < 3) {
    const SideErrors no_left{left.leaf, left.leaf};
    found_.left_stump = cost(no_left, right) > price;
    found_.right_stump = !found_.left_stump;
  }
  return price;
}

template <typename T>
void PairSearch<T>::run(const Roots<T>& roots, const Roots<T>& coarse, bool nominal_too,
                        Side<T>& left, Side<T>& right) {
  const KernelTable<T>& kernel = simd::kernels().splits<T>();
  for (const std::size_t o : ordered_) {
    if (watch_.stopped(rows_->n)) return;
    const Items<T>& items = items_.of(o);
    const Roots<T>& cuts = items.coarse ? coarse : roots;
    if (classes_.n <= 2) {
      kernel.two_class_thresholds(items, cuts, left, right);
    } else {
      scratch_.prepare_thresholds(items, to_size(classes_.n));
      kernel.many_class_thresholds(items, cuts, classes_.n, scratch_, left, right);
    }
  }
  if (!nominal_too) return;
  for (const std::size_t o : nominal_) {
    if (watch_.stopped(rows_->n)) return;
    const Items<T>& items = items_.of(o);
    if (classes_.n <= 2) {
      kernel.two_class_values(items, roots, left, right);
    } else {
      scratch_.prepare_values(to_size(classes_.n));
      kernel.many_class_values(items, roots, classes_.n, scratch_, left, right);
    }
  }
}

template <typename T>
SideErrors PairSearch<T>::errors_of(const Side<T>& side, std::size_t lane,
                                    const std::vector<std::int64_t>& counts,
                                    bool with_values) const {
  SideErrors errors;
  const std::int64_t weight = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  errors.leaf = weight - *std::max_element(counts.begin(), counts.end());
  if (classes_.n <= 2) {
    const auto least = static_cast<std::int64_t>(side.least[lane]);
    const auto most = static_cast<std::int64_t>(side.most[lane]);
    errors.stump = std::min(counts[0] + least, counts[1] - most);
    if (with_values)
      errors.stump =
          std::min(errors.stump, (weight - static_cast<std::int64_t>(side.apart[lane])) / 2);
  } else {
    errors.stump = weight - static_cast<std::int64_t>(side.correct[lane]);
  }
  errors.stump = std::min(errors.stump, errors.leaf);
  return errors;
}

template class PairSearch<std::int16_t>;
template class PairSearch<std::int32_t>;
template class PairSearch<std::int64_t>;

struct DepthTwo::Parts {
  PairSearch<std::int16_t> narrow;
  PairSearch<std::int32_t> middle;
  PairSearch<std::int64_t> wide;
};

DepthTwo::DepthTwo(const FeatureTable& features, Objective objective, Watch& watch)
    : parts_(new Parts{{features, objective, watch}, {features, objective, watch},
                       {features, objective, watch}}) {}
DepthTwo::~DepthTwo() = default;

DepthTwoResult DepthTwo::solve(const Rows& rows, int max_splits, std::int64_t bound,
                               std::vector<std::int64_t>& lower_of) {
  // No sum is larger than the weight of all rows, and no place than their number.
  if (rows.weight <= std::numeric_limits<std::int16_t>::max())
    return parts_->narrow.solve(rows, max_splits, bound, lower_of);
  if (rows.weight <= std::numeric_limits<std::int32_t>::max())
    return parts_->middle.solve(rows, max_splits, bound, lower_of);
  return parts_->wide.solve(rows, max_splits, bound, lower_of);
}

}  // namespace mixedwood::optimal::all_splits
