#include "grow_prune_loop.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace mixedwood {
namespace {

// Copies nodes one by one; children are numbered by the caller.
class Copier {
 public:
  explicit Copier(std::size_t width) : width_(width) {}

  // The prediction of node `i` of `from`; a split follows.
  void add_prediction(const GrownTree& from, std::size_t i) {
    to_.weighted_n_node_samples.push_back(from.weighted_n_node_samples[i]);
    to_.label.push_back(from.label[i]);
    const auto counts = from.statistics.begin() + static_cast<std::ptrdiff_t>(i * width_);
    to_.statistics.insert(to_.statistics.end(), counts, counts + static_cast<std::ptrdiff_t>(width_));
  }

  void add_leaf() {
    to_.add_leaf();
    to_.end_lists();
  }

  template <typename Number>
  void add_split(const GrownTree& from, std::size_t i, const Number& number) {
    for (std::size_t c = at(from.child_offset[i]); c < at(from.child_offset[i + 1]); ++c)
      to_.children.push_back(number(from.children[c]));
    for_each_array(
        [&](const char*, TreeList list, auto& to, const auto& source) {
          const auto& offset = list == TreeList::kTerm ? from.term_offset : from.category_offset;
          if (list == TreeList::kNode)
            to.push_back(source[i]);
          else if (list == TreeList::kCategory || list == TreeList::kTerm)
            to.insert(to.end(), source.begin() + offset[i], source.begin() + offset[i + 1]);
        },
        to_, from);
    to_.end_lists();
  }

  GrownTree take() { return std::move(to_); }

 private:
  std::size_t width_;
  GrownTree to_;
};

std::vector<std::int32_t> leaves_of(const GrownTree& tree) {
  std::vector<std::int32_t> leaves;
  for (std::size_t i = 0; i < tree.split_kind.size(); ++i)
    if (tree.split_kind[i] == kLeaf) leaves.push_back(static_cast<std::int32_t>(i));
  return leaves;
}

std::vector<std::int32_t> parents_of(const GrownTree& tree) {
  std::vector<std::int32_t> parent(tree.split_kind.size(), -1);
  for (std::size_t i = 0; i < parent.size(); ++i)
    for (std::size_t c = at(tree.child_offset[i]); c < at(tree.child_offset[i + 1]); ++c)
      parent[at(tree.children[c])] = static_cast<std::int32_t>(i);
  return parent;
}

// Puts tree t of `below` in the place of leaf t, which keeps its own prediction.
GrownTree join(const GrownTree& tree, const GrownTree& below, std::span<const std::int32_t> leaves,
               std::size_t width) {
  Copier joined(width);
  const auto n = static_cast<std::int32_t>(tree.split_kind.size());
  const auto n_roots = static_cast<std::int32_t>(leaves.size());
  const auto as_before = [](std::int32_t node) { return node; };
  const auto behind = [&](std::int32_t node) { return node - n_roots + n; };
  std::size_t leaf = 0;
  for (std::size_t i = 0; i < tree.split_kind.size(); ++i) {
    joined.add_prediction(tree, i);
    if (leaf < leaves.size() && at(leaves[leaf]) == i)
      joined.add_split(below, leaf++, behind);
    else
      joined.add_split(tree, i, as_before);
  }
  for (std::size_t i = leaves.size(); i < below.split_kind.size(); ++i) {
    joined.add_prediction(below, i);
    joined.add_split(below, i, behind);
  }
  return joined.take();
}

}  // namespace

GrowPruneLoop::GrowPruneLoop(const EncodedTable& table, std::span<const std::int8_t> halves,
                             std::size_t width, const GrowPruneSettings& turns, Stop& stop)
    : width_(width), node_of_row_(table.n_rows, 0), stop_(stop), table_(table), limits_(turns) {
  if (halves.size() != table.n_rows)
    throw std::invalid_argument("a half is needed for each row");
  if (turns.max_iter < 1) throw std::invalid_argument("at least one iteration is needed");
  for (std::size_t row = 0; row < halves.size(); ++row)
    if (halves[row] == 0 || halves[row] == 1)
      half_[at(halves[row])].push_back(static_cast<std::int32_t>(row));
  if (half_[0].empty()) throw std::invalid_argument("no row is in the half that grows first");
}

GrowPruneResult GrowPruneLoop::run() {
  std::size_t grower = 0;
  do {
    const std::vector<std::int32_t> leaves = grow_on(half_[grower]);
    if (stop_.interrupted()) break;
    result_.grown.push_back(static_cast<std::int64_t>(leaves_of(tree_).size()));
    walk();
    prune(half_[1 - grower], leaves);
    result_.pruned.push_back(static_cast<std::int64_t>(leaves_of(tree_).size()));
    const std::size_t n = result_.pruned.size();
    result_.ended = n > 1 && result_.pruned[n - 1] == result_.pruned[n - 2];
    grower = 1 - grower;
  } while (!result_.ended && !stop_.timed_out() &&
           static_cast<std::int64_t>(result_.pruned.size()) < limits_.max_iter);
  if (limits_.refit_leaves) refit(parents_of(tree_));
  result_.tree = std::move(tree_);
  return std::move(result_);
}

// Grows below all leaves with some rows; returns which leaves these were.
std::vector<std::int32_t> GrowPruneLoop::grow_on(std::span<const std::int32_t> rows) {
  if (tree_.split_kind.empty()) {
    tree_ = grow_from(rows, {});
    n_inherited_ = 0;
    return {};
  }
  n_inherited_ = tree_.split_kind.size();
  std::vector<std::int32_t> leaves = leaves_of(tree_);
  // Rows by leaf. Those that stopped above the leaves, at a split without their value,
  // reach none.
  std::vector<std::int64_t> next(tree_.split_kind.size() + 1, 0);
  std::int64_t n_rows = 0;
  for (const std::int32_t row : rows) ++next[at(node_of_row_[at(row)])];
  std::vector<std::int64_t> starts;
  for (std::size_t i = 0; i < tree_.split_kind.size(); ++i) {
    const std::int64_t here = next[i];
    next[i] = n_rows;
    if (tree_.split_kind[i] != kLeaf) continue;
    starts.push_back(n_rows);
    n_rows += here;
  }
  if (n_rows == 0) return leaves;
  starts.push_back(n_rows);
  std::vector<std::int32_t> sorted(static_cast<std::size_t>(n_rows));
  for (const std::int32_t row : rows) {
    const std::size_t node = at(node_of_row_[at(row)]);
    if (tree_.split_kind[node] == kLeaf) sorted[at(next[node]++)] = row;
  }
  const GrownTree below = grow_from(sorted, starts);
  tree_ = join(tree_, below, leaves, width_);
  return leaves;
}

// Every row goes on from where it was to the node that it reaches now.
void GrowPruneLoop::walk() {
  for (const auto& rows : half_)
    for (const std::int32_t row : rows) {
      std::int32_t& node = node_of_row_[at(row)];
      for (;;) {
        const std::int32_t child = child_of(at(node), at(row));
        if (child == kStop) break;
        node = tree_.children[at(tree_.child_offset[at(node)]) + at(child)];
      }
    }
}

// Position of the child that a row goes to, or kStop.
std::int32_t GrowPruneLoop::child_of(std::size_t node, std::size_t row) const {
  if (tree_.split_kind[node] == kLeaf) return kStop;
  const EncodedColumn& column = table_.columns[at(tree_.column[node])];
  const std::int32_t code = column.codes()[row];
  if (code < 0) return tree_.missing_child[node];
  if (tree_.split_kind[node] == kInterval) {
    const double x = column.number(code);
    return tree_.low[node] < x && x <= tree_.high[node] ? 0 : 1;
  }
  const auto first = tree_.category_code.begin() + tree_.category_offset[node];
  const auto last = tree_.category_code.begin() + tree_.category_offset[node + 1];
  const auto found = std::lower_bound(first, last, code);
  if (found == last || *found != code) return tree_.unknown_child[node];
  return tree_.category_child[at(found - tree_.category_code.begin())];
}

// Ties cut what is new: nodes that were not there before, or were leaves.
void GrowPruneLoop::prune(std::span<const std::int32_t> rows, std::span<const std::int32_t> leaves) {
  const std::size_t n = tree_.split_kind.size();
  std::vector<std::uint8_t> inherited(n, 0);
  std::fill_n(inherited.begin(), n_inherited_, std::uint8_t{1});
  for (const std::int32_t leaf : leaves) inherited[at(leaf)] = 0;
  const std::vector<std::int32_t> parent = parents_of(tree_);
  cut(parent, unwanted(parent, rows, inherited));
}

// Makes leaves of some nodes; rows that were below them end there.
void GrowPruneLoop::cut(std::span<const std::int32_t> parent, std::span<const std::uint8_t> unwanted) {
  const std::size_t n = tree_.split_kind.size();
  std::vector<std::int32_t> place(n);  // of the node itself, or of the leaf it vanishes into
  std::vector<std::uint8_t> gone(n, 0);
  std::int32_t n_kept = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (i > 0) gone[i] = gone[at(parent[i])] || unwanted[at(parent[i])];
    place[i] = gone[i] ? place[at(parent[i])] : n_kept++;
  }
  if (static_cast<std::size_t>(n_kept) == n) return;
  Copier kept(width_);
  for (std::size_t i = 0; i < n; ++i) {
    if (gone[i]) continue;
    kept.add_prediction(tree_, i);
    if (unwanted[i])
      kept.add_leaf();
    else
      kept.add_split(tree_, i, [&](std::int32_t child) { return place[at(child)]; });
  }
  tree_ = kept.take();
  for (const auto& rows : half_)
    for (const std::int32_t row : rows) node_of_row_[at(row)] = place[at(node_of_row_[at(row)])];
}

}  // namespace mixedwood
