#include "mixedwood/gradient_blocks.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "mixedwood/random.hpp"
#include "node_split.hpp"
#include "workers.hpp"

namespace mixedwood {
namespace {

// What is worth another thread.
constexpr std::size_t kAdditionsWorthAThread = 20'000;
// What is noted of them stays near the processor while the columns are added up.
constexpr std::size_t kRowsAtOnce = 8'192;

struct Node {
  std::int32_t parent = -1, depth = 0;
  std::uint64_t seed = 0;
  StepBounds bounds;
  std::vector<Sum> total;  // of each output
  Sums sums;               // empty: not added up, or no longer needed
  bool searched = false;
  // If it is split.
  GradientSplit split;
  NodeSplit places;
  std::int32_t children[2] = {-1, -1};
  double least_rank = std::numeric_limits<double>::infinity();  // of the splits on the way here
  std::int32_t number = -1;  // in the tree; of an ancestor if the tree ends before
};

// Where the rows of a block go from a node.
struct Route {
  std::int32_t children[2] = {-1, -1};  // -1: they stay
  BlockColumn column;
  const std::uint8_t* place_of_bin = nullptr;
  const std::uint8_t* place_of_cell = nullptr;  // of training rows; null: by bin
  std::int32_t unknown = kStop;

  std::size_t bin(std::size_t row) const {
    switch (column.width) {
      case 1: return static_cast<const std::uint8_t*>(column.bins)[row];
      case 2: return static_cast<const std::uint16_t*>(column.bins)[row];
      default: return static_cast<const std::uint32_t*>(column.bins)[row];
    }
  }
};

template <typename Bin>
std::size_t largest(const void* bins, std::size_t n_rows) {
  Bin most = 0;
  for (std::size_t row = 0; row < n_rows; ++row)
    most = std::max(most, static_cast<const Bin*>(bins)[row]);
  return most;
}

std::size_t largest_bin(const BlockColumn& column, std::size_t n_rows) {
  switch (column.width) {
    case 1: return largest<std::uint8_t>(column.bins, n_rows);
    case 2: return largest<std::uint16_t>(column.bins, n_rows);
    default: return largest<std::uint32_t>(column.bins, n_rows);
  }
}

}  // namespace

class BlockGrower::Impl {
 public:
  Impl(BinnedSchema schema, BlockData data, const GradientSettings& settings)
      : schema_(std::move(schema)),
        data_(std::move(data)),
        settings_(settings),
        workers_(settings.n_threads),
        scale_(data_.max_gradient, data_.max_hessian, data_.n_rows),
        layout_(schema_, settings_, data_.n_outputs),
        search_(schema_, settings_, scale_, layout_, nullptr, data_.n_outputs,
                data_.row_weight * settings_.dispersion) {
    const std::size_t n_columns = schema_.columns().size();
    if (data_.n_outputs < 1 || data_.n_rows < 1 || data_.thresholds.size() != n_columns)
      throw std::invalid_argument("rows, outputs or thresholds are missing");
    for (std::size_t c = 0; c < n_columns; ++c) {
      const auto& column = schema_.columns()[c];
      if (column.n_bins < 1 || (column.ordered && data_.thresholds[c].size() + 1 < at(column.n_bins)))
        throw std::invalid_argument("a column needs bins and, if it is ordered, thresholds");
    }
    if (!settings_.monotonic_cst.empty() &&
        (data_.n_outputs != 1 || settings_.monotonic_cst.size() != n_columns))
      throw std::invalid_argument("monotonic constraints need one output, and one sign per column");
    for (const std::int32_t column : data_.columns)
      if (column < 0 || at(column) >= n_columns) throw std::invalid_argument("no such column");
    if (data_.columns.empty()) {
      data_.columns.resize(n_columns);
      std::iota(data_.columns.begin(), data_.columns.end(), 0);
    }
    Node root;
    root.seed = settings_.seed;
    root.total.resize(data_.n_outputs);
    nodes_.push_back(std::move(root));
    waiting_ = {0};
  }

  bool begin_pass() {
    counted_.clear();
    if (ended_ || waiting_.empty()) return false;
    // As many as memory allows, in pairs of siblings. Of a pair whose parent has its sums, only the
    // smaller child is added up.
    const std::size_t bytes = std::max<std::size_t>(1, layout_.size() * sizeof(Sum));
    const std::size_t most = std::max<std::size_t>(1, data_.max_memory / 2 / bytes);
    std::size_t end = 0;
    for (; end < waiting_.size() && (end == 0 || counted_.size() < most); ++end) {
      const std::int32_t first = waiting_[end];
      if (first == 0) {
        counted_.push_back(0);
        continue;
      }
      Node& parent = nodes_[at(nodes_[at(first)].parent)];
      const auto [left, right] = std::pair{parent.children[0], parent.children[1]};
      if (!parent.sums.empty()) {
        counted_.push_back(rows(right) > rows(left) ? left : right);
      } else {
        for (const std::int32_t child : {left, right})
          if (may_be_split(child)) counted_.push_back(child);
      }
    }
    taken_.assign(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(end));
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(end));
    sums_of_.assign(nodes_.size(), nullptr);
    for (const std::int32_t node : counted_) {
      nodes_[at(node)].sums.assign(layout_.size() + 1, Sum{});  // never empty
      sums_of_[at(node)] = nodes_[at(node)].sums.data();
    }
    n_learnt_ = 0;
    return true;
  }

  void add(const RowBlock& block) {
    check(block);
    if (block.gradients.size() != block.nodes.size() * data_.n_outputs ||
        block.hessians.size() != block.gradients.size())
      throw std::invalid_argument("one gradient and one hessian are needed for each row and output");
    if (sums_of_.size() != nodes_.size()) throw std::logic_error("no pass has begun");
    set_routes(block);
    for (std::size_t begin = 0; begin < block.nodes.size(); begin += kRowsAtOnce)
      add_some(block, begin, std::min(block.nodes.size(), begin + kRowsAtOnce));
  }

  void end_pass(Stop& stop) {
    if (taken_.empty()) throw std::logic_error("no pass has begun");
    if (n_learnt_ != data_.n_rows) throw std::invalid_argument("there were other rows before");
    std::vector<std::int32_t> following;
    for (const std::int32_t first : taken_) {
      if (first == 0) {
        search(0, stop, following);
        continue;
      }
      const std::int32_t parent = nodes_[at(first)].parent;
      const std::int32_t left = nodes_[at(parent)].children[0], right = nodes_[at(parent)].children[1];
      if (Sums& all = nodes_[at(parent)].sums; !all.empty()) {
        // The smaller child was added up; the larger one gets what is left of the parent's.
        const bool small_left = rows(right) > rows(left);
        const Sums& small = nodes_[at(small_left ? left : right)].sums;
        for (std::size_t s = 0; s < all.size(); ++s) all[s] -= small[s];
        nodes_[at(small_left ? right : left)].sums = std::move(all);
        all = {};
      }
      for (const std::int32_t child : {left, right}) search(child, stop, following);
    }
    taken_.clear();
    next_level_.insert(next_level_.end(), following.begin(), following.end());
    if (!waiting_.empty()) return;
    waiting_ = within_reach(next_level_);
    next_level_.clear();
  }

  // The order in which the nodes are split is that of the grower in memory.
  void finish() {
    ended_ = true;
    for (Node& node : nodes_) {
      node.sums = Sums{};
      node.number = -1;
    }
    order_.clear();
    split_.clear();
    const auto worse = [&](std::int32_t a, std::int32_t b) {
      const Node &x = nodes_[at(a)], &y = nodes_[at(b)];
      return x.split.rank < y.split.rank || (x.split.rank == y.split.rank && x.number > y.number);
    };
    std::vector<std::int32_t> open;
    const auto reach = [&](std::int32_t node) {
      if (!is_split(node)) return;
      open.push_back(node);
      if (settings_.best_first) std::push_heap(open.begin(), open.end(), worse);
    };
    nodes_[0].number = 0;
    order_.push_back(0);
    reach(0);
    std::int64_t leaves = 1;
    while (!open.empty() && !(settings_.max_leaf_nodes && leaves >= *settings_.max_leaf_nodes)) {
      ++leaves;
      if (settings_.best_first) std::pop_heap(open.begin(), open.end(), worse);
      const std::int32_t node = open.back();
      open.pop_back();
      split_.push_back(node);
      for (const std::int32_t child : nodes_[at(node)].children) {
        nodes_[at(child)].number = static_cast<std::int32_t>(order_.size());
        order_.push_back(child);
      }
      for (const std::size_t k : {1, 0}) reach(nodes_[at(node)].children[k]);
    }
    for (Node& node : nodes_)  // parents come first
      if (node.number < 0) node.number = nodes_[at(node.parent)].number;
    n_learnt_ = 0;
  }

  void settle(const RowBlock& block) {
    check(block);
    set_routes(block);
    for (std::size_t row = 0; row < block.nodes.size(); ++row) {
      const bool learns = block.learns.empty() || block.learns[row] != 0;
      const std::uint8_t part = learns ? next_part() : std::uint8_t{0};
      block.nodes[row] = nodes_[at(route(block.nodes[row], row, learns, part))].number;
    }
  }

  std::int32_t n_nodes() const { return static_cast<std::int32_t>(order_.size()); }

  std::vector<double> values() const {
    std::vector<double> values;
    for (const std::int32_t node : order_)
      for (const Sum& sum : nodes_[at(node)].total)
        values.push_back(newton_step(scale_, sum, settings_.l2_regularization, nodes_[at(node)].bounds));
    return values;
  }

  GrownTree tree(std::span<const double> statistics, std::size_t n_classes) const {
    if (statistics.size() != order_.size() * n_classes)
      throw std::invalid_argument("one weight is needed for each node and class");
    GrownTree tree;
    for (std::size_t i = 0; i < order_.size(); ++i) tree.add_leaf();
    std::vector<NodeLists> lists(order_.size());
    for (const std::int32_t which : split_) {
      const Node& node = nodes_[at(which)];
      const std::size_t i = at(node.number), c = at(node.split.column);
      const bool ordered = schema_.columns()[c].ordered;
      tree.column[i] = node.split.column;
      tree.score[i] = node.split.gain;
      tree.split_kind[i] = ordered ? kInterval : kSubset;
      if (ordered) tree.high[i] = data_.thresholds[c][at(node.places.last) - 1];
      tree.missing_child[i] = node.places.missing;
      tree.unknown_child[i] = node.places.unknown;
      lists[i].values = node.places.values;
      lists[i].value_children = node.places.value_children;
      for (const std::int32_t child : node.children)
        lists[i].children.push_back(nodes_[at(child)].number);
    }
    tree.statistics.assign(statistics.begin(), statistics.end());
    lay_out(tree, lists, n_classes);
    return tree;
  }

 private:
  std::int64_t rows(std::int32_t node) const { return scale_.rows(nodes_[at(node)].total[0]); }
  bool is_split(std::int32_t node) const { return nodes_[at(node)].children[0] >= 0; }

  bool may_be_split(std::int32_t node) const {
    if (settings_.max_depth && nodes_[at(node)].depth >= *settings_.max_depth) return false;
    return static_cast<double>(rows(node)) >= std::max(2.0, 2.0 * settings_.min_samples_leaf);
  }

  // Drawn for each training row by its number among them: the generator counts its draws, and none is
  // drawn twice, since the number of parts is a power of two.
  std::uint8_t next_part() {
    if (n_learnt_++ == 0) parts_ = Random(settings_.seed, kPartsOfRows);
    return layout_.n_parts() < 2 ? std::uint8_t{0}
                                 : static_cast<std::uint8_t>(parts_.below(layout_.n_parts()));
  }

  void check(const RowBlock& block) const {
    if (block.columns.size() != schema_.columns().size() ||
        (!block.learns.empty() && block.learns.size() != block.nodes.size()))
      throw std::invalid_argument("columns or rows of a block are missing");
    for (const std::int32_t node : block.nodes)
      if (node < 0 || at(node) >= nodes_.size()) throw std::invalid_argument("there is no such node");
    for (std::size_t c = 0; c < block.columns.size(); ++c)
      if (largest_bin(block.columns[c], block.nodes.size()) >= at(schema_.columns()[c].n_bins))
        throw std::invalid_argument("there is no such bin");
  }

  void set_routes(const RowBlock& block) {
    routes_.assign(nodes_.size(), {});
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const Node& node = nodes_[i];
      if (node.children[0] < 0) continue;
      Route& route = routes_[i];
      std::copy(node.children, node.children + 2, route.children);
      route.column = block.columns[at(node.split.column)];
      route.place_of_bin = node.places.place_of_bin.data();
      if (!node.split.place_of_cell.empty()) route.place_of_cell = node.split.place_of_cell.data();
      route.unknown = node.places.unknown;
    }
  }

  // Down from the node where the row was; a row that is not learnt from may stop on the way.
  std::int32_t route(std::int32_t node, std::size_t row, bool learns, std::uint8_t part) const {
    const Route* here = routes_.data() + node;
    while (here->children[0] >= 0) {
      const std::size_t bin = here->bin(row);
      std::int32_t place;
      if (learns && here->place_of_cell != nullptr) {
        place = here->place_of_cell[bin * layout_.n_parts() + part];
      } else {
        place = here->place_of_bin[bin];
        if (place == kUnmet) place = learns ? 0 : here->unknown;
        if (place < 0) break;
      }
      node = here->children[place];
      here = routes_.data() + node;
    }
    return node;
  }

  void add_some(const RowBlock& block, std::size_t begin, std::size_t end) {
    const std::size_t k = data_.n_outputs;
    rows_.resize(kRowsAtOnce);
    into_.resize(kRowsAtOnce);
    part_.resize(kRowsAtOnce);
    of_row_.resize(kRowsAtOnce * k);
    std::size_t n = 0;
    for (std::size_t row = begin; row < end; ++row) {
      const bool learns = block.learns.empty() || block.learns[row] != 0;
      const std::uint8_t part = learns ? next_part() : std::uint8_t{0};
      const std::int32_t node = route(block.nodes[row], row, learns, part);
      block.nodes[row] = node;
      Sum* const into = sums_of_[at(node)];
      if (!learns || into == nullptr) continue;
      for (std::size_t d = 0; d < k; ++d)
        of_row_[n * k + d] = scale_.sum(block.gradients[row * k + d], block.hessians[row * k + d]);
      rows_[n] = static_cast<std::uint32_t>(row);
      into_[n] = into;
      part_[n++] = part;
    }
    if (sums_of_[0] != nullptr)
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t d = 0; d < k; ++d) nodes_[0].total[d] += of_row_[i * k + d];
    const std::size_t n_columns = schema_.columns().size();
    const std::size_t n_threads = workers_.parts(n * n_columns * k, kAdditionsWorthAThread);
    workers_.run(n_threads, [&](std::size_t thread) {
      for (std::size_t c = Workers::begin(n_columns, thread, n_threads);
           c < Workers::begin(n_columns, thread + 1, n_threads); ++c)
        add_column(block.columns[c], c, n);
    });
  }

  void add_column(const BlockColumn& column, std::size_t c, std::size_t n) {
    if (column.width == 1)
      add_bins(static_cast<const std::uint8_t*>(column.bins), c, n);
    else if (column.width == 2)
      add_bins(static_cast<const std::uint16_t*>(column.bins), c, n);
    else
      add_bins(static_cast<const std::uint32_t*>(column.bins), c, n);
  }

  // The first n of the rows that were noted.
  template <typename Bin>
  void add_bins(const Bin* bins, std::size_t c, std::size_t n) {
    const std::size_t k = data_.n_outputs, first = layout_.first(0)[c];
    const std::size_t block = layout_.in_parts(c) ? at(schema_.columns()[c].n_bins) * k : 0;
    if (k == 1) {
      for (std::size_t i = 0; i < n; ++i)
        into_[i][first + part_[i] * block + bins[rows_[i]]] += of_row_[i];
      return;
    }
    for (std::size_t i = 0; i < n; ++i) {
      Sum* const cell = into_[i] + first + part_[i] * block + bins[rows_[i]] * k;
      for (std::size_t d = 0; d < k; ++d) cell[d] += of_row_[i * k + d];
    }
  }

  // Splits a node, if it can be; `following` gets its first child if the children may be split.
  void search(std::int32_t which, Stop& stop, std::vector<std::int32_t>& following) {
    if (nodes_[at(which)].searched) return;
    nodes_[at(which)].searched = true;
    GradientSplit found;
    if (may_be_split(which) && !stop.requested()) {
      const Node& node = nodes_[at(which)];
      search_columns(schema_, settings_, layout_, data_.columns,
                     {{}, node.sums, node.total, node.bounds}, node.seed, search_, found,
                     [&](std::int32_t n_bins) { return stop.requested(n_bins); });
      if (stop.requested()) found = {};  // a node that was not looked at to the end stays a leaf
    }
    if (!found.found()) {
      nodes_[at(which)].sums = Sums{};
      return;
    }
    std::vector<Sum> right = nodes_[at(which)].total;
    for (std::size_t d = 0; d < right.size(); ++d) right[d] -= found.left[d];
    {
      Node& node = nodes_[at(which)];
      const std::size_t c = at(found.column);
      node.places = make_node_split(schema_.columns()[c], found, scale_.rows(found.left[0]),
                                    scale_.rows(right[0]), settings_.handle_unknown);
      node.least_rank = std::min(node.least_rank, found.rank);
      ranks_.push_back(node.least_rank);
    }
    const StepBounds of_node = nodes_[at(which)].bounds;
    const std::int8_t sign =
        settings_.monotonic_cst.empty() ? std::int8_t{0} : settings_.monotonic_cst[at(found.column)];
    const double l2 = settings_.l2_regularization;
    const auto bounds = child_bounds(of_node, sign, newton_step(scale_, found.left[0], l2, of_node),
                                     newton_step(scale_, right[0], l2, of_node));
    for (std::size_t k = 0; k < 2; ++k) {
      Node child;
      child.parent = which;
      child.depth = nodes_[at(which)].depth + 1;
      child.seed = mix(nodes_[at(which)].seed, 2 + k);
      child.bounds = k == 0 ? bounds.first : bounds.second;
      child.total = k == 0 ? found.left : right;
      child.least_rank = nodes_[at(which)].least_rank;
      nodes_[at(which)].children[k] = static_cast<std::int32_t>(nodes_.size());
      nodes_.push_back(std::move(child));
    }
    found.bins = std::vector<std::int32_t>{};
    Node& node = nodes_[at(which)];
    node.split = std::move(found);
    if (may_be_split(node.children[0]) || may_be_split(node.children[1])) {
      following.push_back(node.children[0]);
      // Sums are kept for the children as far as there is memory for them.
      kept_ += layout_.size() * sizeof(Sum);
      if (kept_ > data_.max_memory / 2) node.sums = Sums{};
    } else {
      node.sums = Sums{};
    }
  }

  // Leaves out nodes that growth ends before, since others come first by their rank.
  std::vector<std::int32_t> within_reach(const std::vector<std::int32_t>& given) {
    kept_ = 0;
    std::vector<std::int32_t> left;
    std::sort(ranks_.begin(), ranks_.end());
    for (const std::int32_t first : given) {
      Node& parent = nodes_[at(nodes_[at(first)].parent)];
      const auto before =
          ranks_.end() - std::upper_bound(ranks_.begin(), ranks_.end(), parent.least_rank);
      if (settings_.best_first && settings_.max_leaf_nodes && before + 1 >= *settings_.max_leaf_nodes)
        parent.sums = Sums{};
      else
        left.push_back(first);
    }
    return left;
  }

  BinnedSchema schema_;
  BlockData data_;
  GradientSettings settings_;
  Workers workers_;
  Scale scale_;
  SumLayout layout_;
  SplitSearch search_;
  std::vector<Node> nodes_;  // parents first
  // Of each pair of siblings the first one; the root by itself.
  std::vector<std::int32_t> waiting_, taken_, next_level_;
  std::vector<std::int32_t> counted_;
  std::vector<Sum*> sums_of_;  // of each node; null: not counted
  std::vector<Route> routes_;
  std::vector<double> ranks_;  // the least on the way to each split
  std::size_t kept_ = 0;       // bytes of the sums that wait for the next level
  bool ended_ = false;
  std::vector<std::int32_t> order_, split_;  // nodes by their numbers; those that are split
  Random parts_{0};
  std::size_t n_learnt_ = 0;
  // Of the rows of a block that are added up.
  std::vector<std::uint32_t> rows_;
  std::vector<Sum*> into_;
  std::vector<std::uint8_t> part_;
  std::vector<Sum> of_row_;
};

BlockGrower::BlockGrower(BinnedSchema schema, BlockData data, const GradientSettings& settings)
    : impl_(std::make_unique<Impl>(std::move(schema), std::move(data), settings)) {}
BlockGrower::~BlockGrower() = default;
bool BlockGrower::begin_pass() { return impl_->begin_pass(); }
void BlockGrower::add(const RowBlock& block) { impl_->add(block); }
void BlockGrower::end_pass(Stop& stop) { impl_->end_pass(stop); }
void BlockGrower::finish() { impl_->finish(); }
void BlockGrower::settle(const RowBlock& block) { impl_->settle(block); }
std::int32_t BlockGrower::n_nodes() const { return impl_->n_nodes(); }
std::vector<double> BlockGrower::values() const { return impl_->values(); }
GrownTree BlockGrower::tree(std::span<const double> statistics, std::size_t n_classes) const {
  return impl_->tree(statistics, n_classes);
}

}  // namespace mixedwood
