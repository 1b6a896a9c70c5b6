// A nominal option as the root of a tree deeper than two: values are given to the sides one after
// the other, heaviest first, and a side costs at least what it has cost so far.
#include <algorithm>

#include "deep_roots.hpp"

namespace mixedwood::all_splits {

SubsetRoot::SubsetRoot(RootSearch& root, std::size_t option, Budget left, Budget right)
    : root_(root), option_(option), left_(left), right_(right) {
  find_values();
}

void SubsetRoot::find_values() {
  const Options& options = root_.search.options_;
  const auto& rank = options.list[option_].rank;
  for (const std::int32_t id : root_.rows.by(option_)) {
    const auto row = static_cast<std::size_t>(id);
    if (values_.empty() || values_.back().rank != rank[row])
      values_.push_back({rank[row], 0, 0, 0, std::vector<std::int64_t>(root_.rows.counts.size())});
    Value& value = values_.back();
    ++value.n_rows;
    value.weight += options.weights[row];
    value.errors += options.unavoidable[row];
    value.counts[static_cast<std::size_t>(options.classes[row])] += options.weights[row];
  }
  std::stable_sort(values_.begin(), values_.end(),
                   [](const Value& a, const Value& b) { return a.weight > b.weight; });
  way_.assign(values_.size(), 0);
}

Test SubsetRoot::test() const {
  Test test;
  test.option = static_cast<std::int32_t>(option_);
  for (std::size_t v = 0; v < values_.size(); ++v)
    if (way_[v] == 0) test.left.push_back(values_[v].rank);
  std::sort(test.left.begin(), test.left.end());
  return test;
}

// Values sorted by their share of the commonest class: prefixes are often among the best.
void SubsetRoot::try_likely() {
  const auto common = static_cast<std::size_t>(root_.rows.label());
  std::vector<std::size_t> order(values_.size());
  for (std::size_t v = 0; v < order.size(); ++v) order[v] = v;
  const auto share = [&](std::size_t v) {
    return static_cast<double>(values_[v].counts[common]) / static_cast<double>(values_[v].weight);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return share(a) < share(b); });
  way_.assign(values_.size(), 1);
  std::int64_t n_left = 0;
  for (std::size_t i = 0; i + 1 < order.size() && !root_.search.watch_.has_stopped(); ++i) {
    way_[order[i]] = 0;
    n_left += values_[order[i]].n_rows;
    const std::int64_t min_leaf = root_.search.limits_.min_leaf;
    if (n_left < min_leaf || root_.rows.n - n_left < min_leaf) continue;
    RootSearch::Bounds bounds;
    bounds.left_of.assign(root_.search.options_.list.size(), 0);
    bounds.right_of = bounds.left_of;
    root_.evaluate(test(), left_, right_, 0, bounds);
  }
}

std::int64_t SubsetRoot::run() {
  if (values_.size() > 4) try_likely();
  after_.assign(values_.size() + 1, 0);
  for (std::size_t v = values_.size(); v-- > 0;) after_[v] = after_[v + 1] + values_[v].errors;
  way_.assign(values_.size(), 0);
  const std::int64_t c = root_.search.limits_.leaf_cost;
  // With equal budgets the sides may change places, so the heaviest value goes left. With different
  // ones the search over budgets has the other way round as well.
  decide(1, values_[0].errors + c, c);
  return lower_;
}

// The cost of one side's values so far, or as much of it as matters.
std::int64_t SubsetRoot::bound_of(std::uint8_t way, std::size_t next, std::int64_t allowed) {
  Search& search = root_.search;
  std::vector<std::uint8_t> chosen(static_cast<std::size_t>(search.options_.list[option_].n_ranks),
                                   0);
  for (std::size_t v = 0; v < next; ++v)
    if (way_[v] == way) chosen[static_cast<std::size_t>(values_[v].rank)] = 1;
  const auto& rank = search.options_.list[option_].rank;
  for (const std::int32_t id : root_.rows.ids) {
    const auto row = static_cast<std::size_t>(id);
    search.side_[row] = chosen[static_cast<std::size_t>(rank[row])];
  }
  auto& sides = search.sides_[static_cast<std::size_t>(root_.budget.depth)];
  divide(search.options_, root_.rows, search.side_, sides.left, sides.right);
  return search.solve(sides.left, way == 0 ? left_ : right_, allowed).lower;
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
    for (std::size_t v = 0; v < next; ++v) n_left += way_[v] == 0 ? values_[v].n_rows : 0;
    const std::int64_t n_right = root_.rows.n - n_left;
    const std::int64_t min_leaf = search.limits_.min_leaf;
    if (n_left == 0 || n_right == 0 || n_left < min_leaf || n_right < min_leaf) return;
    RootSearch::Bounds bounds;
    bounds.left = left;
    bounds.right = right;
    bounds.left_of.assign(search.options_.list.size(), 0);
    bounds.right_of = bounds.left_of;
    root_.evaluate(test(), left_, right_, 0, bounds);
    lower_ = std::min(lower_, bounds.left + bounds.right);
    return;
  }
  for (const std::uint8_t way : {std::uint8_t{0}, std::uint8_t{1}}) {
    way_[next] = way;
    std::int64_t l = left, r = right;
    (way == 0 ? l : r) += values_[next].errors;
    // A minimum leaf size may make fewer rows dearer than more: then only what no tree can avoid
    // counts. The last value is decided by solving both sides anyway.
    if (search.limits_.min_leaf <= 1 && next + 1 < values_.size()) {
      std::int64_t& side = way == 0 ? l : r;
      const std::int64_t others = (way == 0 ? r : l) + after_[next + 1];
      if (side + others < root_.best)
        side = std::max(side, bound_of(way, next + 1, root_.best - 1 - others));
    }
    decide(next + 1, l, r);
  }
}

}  // namespace mixedwood::all_splits
