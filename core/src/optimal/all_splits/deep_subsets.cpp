// A nominal feature as the root of a tree deeper than two: values are given to the sides one after
// the other, heaviest first, and a side costs at least what it has cost so far.
#include <algorithm>
#include <functional>

#include "deep_roots.hpp"

namespace mixedwood::optimal::all_splits {

SubsetRoot::SubsetRoot(RootSearch& root, std::size_t feature, Budget left, Budget right)
    : root_(root), feature_(feature), left_(left), right_(right),
      values_(values_of(root.search.features_, root.rows, feature)) {
  std::ranges::stable_sort(values_, std::ranges::greater{}, &Value::weight);
  branch_.assign(values_.size(), 0);
}

Split SubsetRoot::split() const {
  Split split;
  split.feature = static_cast<std::int32_t>(feature_);
  for (std::size_t v = 0; v < values_.size(); ++v)
    if (branch_[v] == 0) split.left.push_back(values_[v].rank);
  std::sort(split.left.begin(), split.left.end());
  return split;
}

void SubsetRoot::try_likely() {
  const auto order = order_by_fraction(values_, to_size(root_.rows.label()));
  branch_.assign(values_.size(), 1);
  std::int64_t n_left = 0;
  for (std::size_t i = 0; i + 1 < order.size() && !root_.search.watch_.has_stopped(); ++i) {
    branch_[order[i]] = 0;
    n_left += values_[order[i]].n_rows;
    const std::int64_t min_samples_leaf = root_.search.objective_.min_samples_leaf;
    if (n_left < min_samples_leaf || root_.rows.n - n_left < min_samples_leaf) continue;
    RootSearch::Bounds bounds;
    bounds.left_of.assign(root_.search.features_.list.size(), 0);
    bounds.right_of = bounds.left_of;
    root_.evaluate(split(), left_, right_, 0, bounds);
  }
}

std::int64_t SubsetRoot::run() {
  if (values_.size() > 4) try_likely();
  after_.assign(values_.size() + 1, 0);
  for (std::size_t v = values_.size(); v-- > 0;) after_[v] = after_[v + 1] + values_[v].errors;
  branch_.assign(values_.size(), 0);
  const std::int64_t c = root_.search.objective_.leaf_penalty;
  // With equal budgets the sides may change places, so the heaviest value goes left. With different
  // ones the search over budgets covers the reverse as well.
  decide(1, values_[0].errors + c, c);
  return lower_;
}

// A lower bound of the cost of one side's values so far.
std::int64_t SubsetRoot::bound_of(std::uint8_t branch, std::size_t next, std::int64_t allowed) {
  Search& search = root_.search;
  std::vector<std::uint8_t> chosen(to_size(search.features_.list[feature_].n_ranks), 0);
  for (std::size_t v = 0; v < next; ++v)
    if (branch_[v] == branch) chosen[to_size(values_[v].rank)] = 1;
  const auto& rank = search.features_.list[feature_].rank;
  for (const std::int32_t id : root_.rows.ids) {
    const auto row = to_size(id);
    search.side_[row] = chosen[to_size(rank[row])];
  }
  auto& sides = search.sides_[to_size(root_.budget.depth)];
  divide(search.features_, root_.rows, search.side_, sides.left, sides.right);
  return search.solve(sides.left, branch == 0 ? left_ : right_, allowed).lower;
}

void SubsetRoot::decide(std::size_t next, std::int64_t left, std::int64_t right) {
  const std::int64_t bound = left + right + after_[next];
  Search& search = root_.search;
  if (bound >= root_.best || search.watch_.stopped()) {
    lower_ = std::min(lower_, bound);
    return;
  }
  if (next == values_.size()) {
    std::int64_t n_left = 0;
    for (std::size_t v = 0; v < next; ++v) n_left += branch_[v] == 0 ? values_[v].n_rows : 0;
    const std::int64_t n_right = root_.rows.n - n_left;
    const std::int64_t min_samples_leaf = search.objective_.min_samples_leaf;
    if (n_left == 0 || n_right == 0 || n_left < min_samples_leaf || n_right < min_samples_leaf) return;
    RootSearch::Bounds bounds;
    bounds.left = left;
    bounds.right = right;
    bounds.left_of.assign(search.features_.list.size(), 0);
    bounds.right_of = bounds.left_of;
    root_.evaluate(split(), left_, right_, 0, bounds);
    lower_ = std::min(lower_, bounds.left + bounds.right);
    return;
  }
  for (const std::uint8_t branch : {std::uint8_t{0}, std::uint8_t{1}}) {
    branch_[next] = branch;
    std::int64_t l = left, r = right;
    (branch == 0 ? l : r) += values_[next].errors;
    // With a minimum leaf size fewer rows may cost more: then only what no tree can avoid
    // counts. The last value is decided by solving both sides anyway.
    if (search.objective_.min_samples_leaf <= 1 && next + 1 < values_.size()) {
      std::int64_t& side = branch == 0 ? l : r;
      const std::int64_t others = (branch == 0 ? r : l) + after_[next + 1];
      if (side + others < root_.best)
        side = std::max(side, bound_of(branch, next + 1, root_.best - 1 - others));
    }
    decide(next + 1, l, r);
  }
}

}  // namespace mixedwood::optimal::all_splits
