#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "mixedwood/exact_sums.hpp"
#include "mixedwood/gradient.hpp"
#include "mixedwood/random.hpp"
#include "node_split.hpp"
#include "split_search.hpp"
#include "sums.hpp"
#include "workers.hpp"

namespace mixedwood {
namespace {

// What is worth another thread.
constexpr std::size_t kSumsWorthAThread = 300;
constexpr std::size_t kRowsWorthAThread = 2'000;
// A small node has so many cells of sums for each value of its rows. Of 1, 4 and 12, this is fastest.
constexpr std::size_t kCellsPerValue = 12;

// A stretch of a list of rows.
struct Stretch {
  std::size_t begin = 0, end = 0;
  std::size_t size() const { return end - begin; }
};

// A node that may be split.
struct OpenNode {
  std::int32_t node = 0, depth = 0;
  std::uint64_t seed = 0;
  StepBounds bounds;  // of this node and those below
  Stretch rows, others;
  Sums sums;  // empty: not added up yet
  GradientSplit split;
};

// Of a row, weighed by itself. Whole numbers are taken for numbers of rows.
double mean_weight(const GradientData& data) {
  if (data.weights.empty()) return 1.0;
  ExactSums sums(2);
  bool whole = true;
  for (const std::int32_t row : data.rows) {
    const double weight = data.weights[at(row)];
    whole = whole && weight == std::floor(weight);
    sums.add(0, weight);
    sums.add(1, weight * weight);
  }
  const double sum = sums.value(0), squares = sums.value(1);
  return !whole && sum > 0.0 && std::isfinite(squares) ? squares / sum : 1.0;
}

// Drawn for each training row by its number among them, so that rows without weight change nothing.
std::vector<std::uint8_t> parts_of_rows(const BinnedTable& table, const GradientData& data,
                                        std::size_t n_parts, std::uint64_t seed) {
  std::vector<std::uint8_t> part_of_row;
  if (n_parts < 2) return part_of_row;
  part_of_row.resize(table.n_rows(), 0);
  for (const std::int32_t row : data.rows) part_of_row[at(row)] = 1;
  Random random(seed, kPartsOfRows);
  for (std::uint8_t& part : part_of_row)
    if (part != 0) part = static_cast<std::uint8_t>(random.below(n_parts));
  return part_of_row;
}

class GradientGrower {
 public:
  GradientGrower(const BinnedTable& table, const GradientData& data, const GradientSettings& settings,
                 Stop& stop)
      : table_(table),
        data_(data),
        settings_(settings),
        stop_(stop),
        workers_(settings.n_threads),
        scale_(data, workers_),
        layout_(table, settings, data.n_outputs),
        part_of_row_(parts_of_rows(table, data, layout_.n_parts(), settings.seed)),
        adder_(table, data, scale_, layout_, part_of_row_, workers_),
        searches_(2, SplitSearch(table, settings, scale_, layout_, &adder_, data.n_outputs,
                                 mean_weight(data) * settings.dispersion)),
        rows_(data.rows.begin(), data.rows.end()),
        others_(data.others.begin(), data.others.end()),
        columns_(data.columns.begin(), data.columns.end()) {
    if (columns_.empty()) {
      columns_.resize(table.columns().size());
      std::iota(columns_.begin(), columns_.end(), 0);
    }
  }

  GradientTree run() {
    result_.node_of_row.assign(table_.n_rows(), -1);
    OpenNode root;
    root.seed = settings_.seed;
    root.rows = {0, rows_.size()};
    root.others = {0, others_.size()};
    std::vector<Sum> total;
    for (std::size_t d = 0; d < data_.n_outputs; ++d)
      total.push_back(adder_.total(rows_of(root.rows), d));
    root.node = add_node(total, root.bounds);
    std::int64_t leaves = 1;
    consider({&root, 1});
    while (!open_.empty()) {
      if (stop_.requested() || (settings_.max_leaf_nodes && leaves >= settings_.max_leaf_nodes)) break;
      ++leaves;
      split(pop(), settings_.max_leaf_nodes && leaves >= settings_.max_leaf_nodes);
    }
    for (const OpenNode& left : open_) make_leaf(left);
    GrownTree& tree = result_.tree;
    tree.complete = !stop_.timed_out();
    finish();
    return std::move(result_);
  }

 private:
  std::span<const std::int32_t> rows_of(const Stretch& stretch) const {
    return std::span(rows_).subspan(stretch.begin, stretch.size());
  }

  double step(const Sum& sum, const StepBounds& bounds) const {
    return newton_step(scale_, sum, settings_.l2_regularization, bounds);
  }

  std::int32_t add_node(std::span<const Sum> total, const StepBounds& bounds) {
    const std::int32_t node = result_.tree.add_leaf();
    lists_.emplace_back();
    // The step down the loss; totals are kept for the search.
    for (const Sum& sum : total) {
      totals_.push_back(sum);
      result_.values.push_back(step(sum, bounds));
    }
    return node;
  }

  std::span<const Sum> total_of(std::int32_t node) const {
    return std::span(totals_).subspan(static_cast<std::size_t>(node) * data_.n_outputs,
                                      data_.n_outputs);
  }

  bool may_be_split(const OpenNode& open) const {
    if (settings_.max_depth && open.depth >= settings_.max_depth) return false;
    return static_cast<double>(open.rows.size()) >= std::max(2.0, 2.0 * settings_.min_samples_leaf);
  }

  // Most cells of its sums would be empty. They are not kept: it takes longer to clear, subtract and
  // search them than to add up the rows for each column.
  bool is_small(const OpenNode& open) const {
    return open.rows.size() * table_.columns().size() * kCellsPerValue < layout_.n_cells();
  }

  // The last of the nodes first. Each is searched by a thread of its own when that is worth it.
  void consider(std::span<OpenNode> nodes) {
    for (OpenNode& open : nodes)
      if (may_be_split(open) && open.sums.empty() && !is_small(open))
        open.sums = adder_.add_up(rows_of(open.rows));
    stopped_ = false;
    const std::size_t n_parts = std::min(
        nodes.size(), workers_.parts(nodes.size() * layout_.size(), kSumsWorthAThread));
    const std::thread::id here = std::this_thread::get_id();
    workers_.run(n_parts, [&](std::size_t part) {
      const bool asks = std::this_thread::get_id() == here;
      for (std::size_t k = part; k < nodes.size(); k += n_parts)
        if (may_be_split(nodes[k])) find_split(nodes[k], searches_[part], asks);
    });
    for (std::size_t k = nodes.size(); k-- > 0;) {
      OpenNode& open = nodes[k];
      // A node that was not looked at to the end stays a leaf.
      if (may_be_split(open) &&
          stop_.requested(static_cast<std::int64_t>(open.rows.size() * columns_.size())))
        open.split = {};
      if (!open.split.found()) {
        make_leaf(open);
        continue;
      }
      open_.push_back(std::move(open));
      if (settings_.best_first) std::push_heap(open_.begin(), open_.end(), worse);
    }
  }

  // Only the thread that grows the tree may ask whether to stop.
  void find_split(OpenNode& open, SplitSearch& search, bool asks) {
    const SplitSearch::Node node{rows_of(open.rows), open.sums, total_of(open.node), open.bounds};
    search_columns(table_, settings_, layout_, columns_, node, open.seed, search, open.split,
                   [&](std::int32_t n_bins) {
                     if (asks && stop_.requested(n_bins)) stopped_ = true;
                     return stopped_.load();
                   });
  }

  static bool worse(const OpenNode& a, const OpenNode& b) {
    return a.split.rank < b.split.rank || (a.split.rank == b.split.rank && a.node > b.node);
  }

  OpenNode pop() {
    if (settings_.best_first) std::pop_heap(open_.begin(), open_.end(), worse);
    OpenNode open = std::move(open_.back());
    open_.pop_back();
    return open;
  }

  // The node is a leaf.
  void make_leaf(const OpenNode& open) {
    if (!data_.numbers.empty()) rows_of_leaf_.emplace_back(open.node, open.rows);
    for (std::size_t i = open.rows.begin; i < open.rows.end; ++i)
      result_.node_of_row[at(rows_[i])] = open.node;
    for (std::size_t i = open.others.begin; i < open.others.end; ++i)
      result_.node_of_row[at(others_[i])] = open.node;
  }

  // `is_last`: the children stay leaves, and need no sums.
  void split(OpenNode open, bool is_last) {
    const auto i = static_cast<std::size_t>(open.node);
    const auto c = static_cast<std::size_t>(open.split.column);
    const auto& column = table_.columns()[c];
    GradientSplit& found = open.split;
    GrownTree& tree = result_.tree;
    tree.column[i] = found.column;
    tree.score[i] = found.gain;
    std::vector<Sum> right(total_of(open.node).begin(), total_of(open.node).end());
    for (std::size_t d = 0; d < right.size(); ++d) right[d] -= found.left[d];
    NodeSplit made = make_node_split(column, found, scale_.rows(found.left[0]), scale_.rows(right[0]),
                                     settings_.handle_unknown);
    tree.missing_child[i] = made.missing;
    tree.unknown_child[i] = made.unknown;
    if (column.ordered) {
      tree.split_kind[i] = kInterval;
      const std::int32_t code = column.last_code[at(made.last) - 1];
      tree.high[i] = table_.coded().columns[c].threshold(code, code + 1);
    } else {
      tree.split_kind[i] = kSubset;
    }
    NodeLists lists{{}, std::move(made.values), std::move(made.value_children)};
    place_of_bin_ = std::move(made.place_of_bin);
    OpenNode children[2];
    const auto parts = found.place_of_cell.empty()
                           ? partition(rows_, open.rows, c, 0)
                           : partition_cells(open.rows, c, found.place_of_cell);
    children[0].rows = parts.first;
    children[1].rows = parts.second;
    partition_others(open, c, tree.unknown_child[i], children);
    const std::int8_t sign = settings_.monotonic_cst.empty() ? std::int8_t{0} : settings_.monotonic_cst[c];
    std::tie(children[0].bounds, children[1].bounds) = child_bounds(
        open.bounds, sign, step(found.left[0], open.bounds), step(right[0], open.bounds));
    for (std::size_t k = 0; k < 2; ++k) {
      children[k].depth = open.depth + 1;
      children[k].seed = mix(open.seed, 2 + k);
      children[k].node = add_node(k == 0 ? std::span<const Sum>(found.left) : right, children[k].bounds);
      lists.children.push_back(children[k].node);
    }
    lists_[i] = std::move(lists);
    if (is_last) {
      for (const OpenNode& child : children) make_leaf(child);
      return;
    }
    hand_down(open, children);
    consider(children);
  }

  // Stable. `unmet` is the place of bins without rows.
  std::pair<Stretch, Stretch> partition(std::vector<std::int32_t>& rows, const Stretch& stretch,
                                   std::size_t column, std::uint8_t unmet) {
    std::vector<std::uint8_t> places = place_of_bin_;
    std::replace(places.begin(), places.end(), kUnmet, unmet);
    return partition_by(rows, stretch, column,
                        [&](std::int32_t, std::size_t bin) { return places[bin]; });
  }

  // Likewise, for training rows of a column with target statistics.
  std::pair<Stretch, Stretch> partition_cells(const Stretch& stretch, std::size_t column,
                                              const std::vector<std::uint8_t>& place_of_cell) {
    const std::size_t n_parts = layout_.n_parts();
    return partition_by(rows_, stretch, column, [&](std::int32_t row, std::size_t bin) {
      return place_of_cell[bin * n_parts + part_of_row_[at(row)]];
    });
  }

  template <typename PlaceOf>
  std::pair<Stretch, Stretch> partition_by(std::vector<std::int32_t>& rows, const Stretch& stretch,
                                           std::size_t column, const PlaceOf& place_of) {
    if (aside_.size() < stretch.size()) aside_.resize(stretch.size());
    const std::size_t n_parts = workers_.parts(stretch.size(), kRowsWorthAThread);
    parts_.assign(n_parts, {});
    workers_.run(n_parts, [&](std::size_t part) {
      const std::size_t begin = Workers::begin(stretch.size(), part, n_parts);
      const std::size_t end = Workers::begin(stretch.size(), part + 1, n_parts);
      parts_[part] = partition_chunk(std::span(rows).subspan(stretch.begin + begin, end - begin),
                               std::span(aside_).subspan(begin, end - begin), column, place_of);
    });
    // Left rows of all parts, then right rows of all parts.
    auto next = rows.begin() + static_cast<std::ptrdiff_t>(stretch.begin) +
                static_cast<std::ptrdiff_t>(parts_[0].first);
    for (std::size_t part = 1; part < n_parts; ++part) {
      const auto from = rows.begin() + static_cast<std::ptrdiff_t>(
                            stretch.begin + Workers::begin(stretch.size(), part, n_parts));
      next = std::copy(from, from + static_cast<std::ptrdiff_t>(parts_[part].first), next);
    }
    const auto middle = static_cast<std::size_t>(next - rows.begin());
    for (std::size_t part = 0; part < n_parts; ++part)
      next = std::copy_n(aside_.begin() + static_cast<std::ptrdiff_t>(
                             Workers::begin(stretch.size(), part, n_parts)),
                         parts_[part].second, next);
    return {{stretch.begin, middle}, {middle, stretch.end}};
  }

  // Keeps the left rows and puts the right ones aside; how many there are of each.
  template <typename PlaceOf>
  std::pair<std::size_t, std::size_t> partition_chunk(std::span<std::int32_t> rows,
                                                std::span<std::int32_t> aside, std::size_t column,
                                                const PlaceOf& place_of) const {
    std::size_t left = 0, right = 0;
    std::visit(
        [&](const auto& bins) {
          const std::size_t n_columns = table_.columns().size();
          const auto* const its = bins.data() + column;
          for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::int32_t row = rows[i];
            const std::uint8_t place = place_of(row, its[at(row) * n_columns]);
            // Both places are written, and one of them counts: no branch to guess.
            rows[left] = row;
            aside[right] = row;
            left += 1 - place;
            right += place;
          }
        },
        table_.bins());
    return {left, right};
  }

  // Rows that were not learnt from may hold values that the split has not met.
  void partition_others(const OpenNode& open, std::size_t column, std::int32_t unknown, OpenNode* children) {
    Stretch going = open.others;
    if (unknown == kStop && table_.columns()[column].ordered == false) {
      std::visit(
          [&](const auto& bins) {
            const std::size_t n_columns = table_.columns().size();
            const auto stops = [&](std::int32_t row) {
              return place_of_bin_[bins[at(row) * n_columns + column]] ==
                     kUnmet;
            };
            const auto first = others_.begin() + static_cast<std::ptrdiff_t>(going.begin);
            const auto last = others_.begin() + static_cast<std::ptrdiff_t>(going.end);
            const auto gone = std::stable_partition(first, last, stops);
            for (auto row = first; row != gone; ++row)
              result_.node_of_row[at(*row)] = open.node;
            going.begin += static_cast<std::size_t>(gone - first);
          },
          table_.bins());
    }
    const auto parts = partition(others_, going, column, unknown == 1 ? 1 : 0);
    children[0].others = parts.first;
    children[1].others = parts.second;
  }

  // The smaller child is added up; the larger one gets what is left of the parent's. Small nodes
  // need no sums.
  void hand_down(OpenNode& open, OpenNode* children) {
    const std::size_t larger = children[1].rows.size() > children[0].rows.size();
    OpenNode& small = children[1 - larger];
    OpenNode& large = children[larger];
    if (!may_be_split(large) || is_small(large)) return;
    if (is_small(small)) {
      adder_.take_off(rows_of(small.rows), open.sums);
      large.sums = std::move(open.sums);
      return;
    }
    small.sums = adder_.add_up(rows_of(small.rows));
    large.sums = std::move(open.sums);
    for (std::size_t s = 0; s < large.sums.size(); ++s) large.sums[s] -= small.sums[s];
  }

  // Class weights of the leaves from their rows, and the end of the tree.
  void finish() {
    GrownTree& tree = result_.tree;
    if (!data_.numbers.empty()) return lay_out_numbers();
    const std::size_t n = tree.split_kind.size(), k = static_cast<std::size_t>(data_.n_classes);
    tree.statistics.assign(n * k, 0.0);
    const auto cell = [&](std::int32_t row) {
      return at(result_.node_of_row[at(row)]) * k + at(data_.classes[at(row)]);
    };
    if (data_.weights.empty()) {
      for (const std::int32_t row : data_.rows) tree.statistics[cell(row)] += 1.0;
    } else {
      ExactSums sums(n * k);
      for (const std::int32_t row : data_.rows) sums.add(cell(row), data_.weights[at(row)]);
      for (std::size_t i = 0; i < n * k; ++i) tree.statistics[i] = sums.value(i);
    }
    lay_out(tree, lists_, k);
  }

  // Likewise with numbers: weight, mean, squared deviations from it, and these again as the loss. Sums
  // are exact, so that rows in pieces give the same. Rows of a leaf lie together.
  void lay_out_numbers() {
    GrownTree& tree = result_.tree;
    const std::size_t n = tree.split_kind.size();
    std::vector<double> weight(n, 0.0), mean(n, 0.0), squares(n, 0.0), parts;
    const bool weighted = !data_.weights.empty();
    const auto weight_of = [&](std::int32_t row) { return data_.weights[at(row)]; };
    // The sum of what `part` gives for the rows, times their weights.
    const auto sum_of = [&](std::span<const std::int32_t> rows, auto&& part) {
      parts.resize(rows.size());
      for (std::size_t i = 0; i < rows.size(); ++i)
        parts[i] = weighted ? weight_of(rows[i]) * part(rows[i]) : part(rows[i]);
      return exact_sum(parts);
    };
    for (const auto& [leaf, stretch] : rows_of_leaf_) {
      const std::size_t node = at(leaf);
      const auto rows = rows_of(stretch);
      weight[node] = weighted ? sum_of(rows, [](std::int32_t) { return 1.0; })
                              : static_cast<double>(rows.size());
      const double sum = sum_of(rows, [&](std::int32_t row) { return data_.numbers[at(row)]; });
      mean[node] = sum / (weight[node] > 0.0 ? weight[node] : 1.0);
      squares[node] = sum_of(rows, [&](std::int32_t row) {
        const double off = data_.numbers[at(row)] - mean[node];
        return off * off;
      });
    }
    tree.statistics = weight;
    lay_out(tree, lists_, 1);
    for (std::size_t node = n; node-- > 0;) {
      for (std::size_t c = lists_[node].children.size(); c-- > 0;) {  // Chan, Golub and LeVeque (1983)
        const std::size_t child = at(lists_[node].children[c]);
        const double both = weight[node] + weight[child];
        if (!(both > 0.0)) continue;
        const double distance = mean[child] - mean[node], part = weight[child] / both;
        squares[node] += squares[child] + distance * distance * weight[node] * part;
        mean[node] += distance * part;
        weight[node] = both;
      }
    }
    std::vector<double> statistics;
    statistics.reserve(4 * n);
    for (std::size_t node = 0; node < n; ++node)
      for (const double value : {tree.statistics[node], mean[node], squares[node], squares[node]})
        statistics.push_back(value);
    tree.statistics = std::move(statistics);
  }

  const BinnedTable& table_;
  const GradientData& data_;
  const GradientSettings& settings_;
  Stop& stop_;
  Workers workers_;
  Scale scale_;
  SumLayout layout_;
  std::vector<std::uint8_t> part_of_row_;  // empty: one part
  Adder adder_;
  std::vector<SplitSearch> searches_;  // of as many nodes at a time
  std::atomic<bool> stopped_ = false;
  std::vector<std::int32_t> rows_, others_, columns_, aside_;
  std::vector<OpenNode> open_;
  std::vector<std::pair<std::int32_t, Stretch>> rows_of_leaf_;  // with numbers
  std::vector<NodeLists> lists_;
  std::vector<Sum> totals_;  // node x output
  std::vector<std::uint8_t> place_of_bin_;
  std::vector<std::pair<std::size_t, std::size_t>> parts_;  // left and right rows of a part
  GradientTree result_;
};

void check(const BinnedTable& table, const GradientData& data) {
  const std::size_t n = table.n_rows();
  if (data.n_outputs < 1 || data.gradients.size() != n * data.n_outputs ||
      data.hessians.size() != n * data.n_outputs)
    throw std::invalid_argument("one gradient and one hessian are needed for each row and output");
  if (data.classes.size() != n || (!data.weights.empty() && data.weights.size() != n))
    throw std::invalid_argument("one class is needed for each row, and one weight if any");
  for (const std::int32_t cls : data.classes)
    if (cls < 0 || cls >= data.n_classes) throw std::invalid_argument("a class is out of range");
  if (data.rows.empty()) throw std::invalid_argument("there is no row to learn from");
  std::vector<char> met(n, 0);
  for (const auto& list : {data.rows, data.others})
    for (const std::int32_t row : list) {
      if (row < 0 || static_cast<std::size_t>(row) >= n)
        throw std::invalid_argument("a row is not one of the table");
      if (std::exchange(met[at(row)], 1))
        throw std::invalid_argument("a row comes twice");
    }
  for (const std::int32_t column : data.columns)
    if (column < 0 || static_cast<std::size_t>(column) >= table.columns().size())
      throw std::invalid_argument("no such column");
}

}  // namespace

GradientTree grow_gradient_tree(const BinnedTable& table, const GradientData& data,
                                const GradientSettings& settings, Stop& stop) {
  check(table, data);
  if (!settings.monotonic_cst.empty()) {
    if (data.n_outputs != 1 || settings.monotonic_cst.size() != table.columns().size())
      throw std::invalid_argument("monotonic constraints need one output, and one sign per column");
    for (std::size_t c = 0; c < table.columns().size(); ++c)
      if (settings.monotonic_cst[c] != 0 && !table.columns()[c].ordered)
        throw std::invalid_argument("a column without an order has a monotonic constraint");
  }
  return GradientGrower(table, data, settings, stop).run();
}

}  // namespace mixedwood
