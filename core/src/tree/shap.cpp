#include "mixedwood/shap.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace mixedwood {
namespace {

// Points and weights of Gauss and Legendre on (0, 1).
void quadrature(std::size_t n, std::vector<double>& points, std::vector<double>& weights) {
  points.resize(n);
  weights.resize(n);
  const auto size = static_cast<double>(n);
  for (std::size_t i = 0; i < n; ++i) {
    double x = std::cos(std::numbers::pi * (static_cast<double>(i) + 0.75) / (size + 0.5));
    double slope = 1.0;
    for (int round = 0; round < 100; ++round) {
      double before = 1.0, here = x;
      for (std::size_t k = 2; k <= n; ++k) {
        const auto order = static_cast<double>(k);
        const double next = ((2.0 * order - 1.0) * x * here - (order - 1.0) * before) / order;
        before = here;
        here = next;
      }
      slope = size * (x * here - before) / (x * x - 1.0);
      const double change = here / slope;
      x -= change;
      if (std::abs(change) < 1e-16) break;
    }
    points[i] = (x + 1.0) / 2.0;
    weights[i] = 1.0 / ((1.0 - x * x) * slope * slope);
  }
}

constexpr int kMostLevels = 1000;  // the walk calls itself

// Most different columns on a path from the root.
std::size_t most_columns(const TreeView& tree) {
  std::vector<std::vector<std::int32_t>> columns(at(tree.n_nodes()));
  std::vector<int> level(at(tree.n_nodes()), 0);
  std::size_t most = 0;
  for (std::int32_t node = 0; node < tree.n_nodes(); ++node) {
    std::vector<std::int32_t>& its = columns[at(node)];
    most = std::max(most, its.size());
    if (tree.split_kind[at(node)] == kLeaf) continue;
    if (std::find(its.begin(), its.end(), tree.column[at(node)]) == its.end())
      its.push_back(tree.column[at(node)]);
    most = std::max(most, its.size());
    for (std::int32_t c = 0; c < tree.n_children(node); ++c) {
      const std::size_t child = at(tree.child(node, c));
      columns[child] = its;
      level[child] = level[at(node)] + 1;
      if (level[child] > kMostLevels)
        throw std::invalid_argument("SHAP values need trees of at most 1,000 levels.");
    }
    its.clear();
    its.shrink_to_fit();
  }
  return most;
}

}  // namespace

ShapTree::ShapTree(const TreeView& tree, std::span<const double> values, std::size_t n_outputs)
    : tree_(tree), values_(values), n_outputs_(n_outputs) {
  for (const std::uint8_t kind : tree.split_kind)
    if (kind == kLinear)
      throw std::invalid_argument(
          "A split of this tree weighs several columns, so that what a single column adds is not "
          "defined. SHAP values need trees whose splits test one column each.");
  // The product of the other columns has a degree of one less than their number; n points are exact
  // up to the degree 2 n - 1.
  quadrature(std::max<std::size_t>(1, (most_columns(tree) + 1) / 2), points_, weights_);
}

double ShapTree::weight_below(std::int32_t node) const {
  double total = 0.0;
  for (std::int32_t c = 0; c < tree_.n_children(node); ++c)
    total += tree_.weighted_n_node_samples[at(tree_.child(node, c))];
  return total;
}

std::vector<double> ShapTree::base() const {
  std::vector<double> reach(at(tree_.n_nodes()), 0.0), found(n_outputs_, 0.0);
  reach[0] = 1.0;
  for (std::int32_t node = 0; node < tree_.n_nodes(); ++node) {
    const double total = tree_.split_kind[at(node)] == kLeaf ? 0.0 : weight_below(node);
    if (total > 0.0) {
      for (std::int32_t c = 0; c < tree_.n_children(node); ++c) {
        const std::int32_t child = tree_.child(node, c);
        reach[at(child)] = reach[at(node)] * tree_.weighted_n_node_samples[at(child)] / total;
      }
    } else {
      for (std::size_t k = 0; k < n_outputs_; ++k)
        found[k] += reach[at(node)] * values_[at(node) * n_outputs_ + k];
    }
  }
  return found;
}

std::int32_t ShapTree::side_of(std::int32_t node, const TableView& table, std::size_t row) const {
  const std::size_t i = at(node);
  const ColumnView& column = table.columns[at(tree_.column[i])];
  if (tree_.split_kind[i] == kInterval) {
    double x = 0.0;
    if (column.codes == nullptr) {
      x = column.numbers[row];
      if (x != x) return tree_.missing_child[i];
    } else {
      const std::int32_t code = column.codes[row];
      if (code < 0) return code == -1 ? tree_.missing_child[i] : tree_.unknown_child[i];
      x = static_cast<double>(code);
    }
    return tree_.low[i] < x && x <= tree_.high[i] ? 0 : 1;
  }
  const std::int32_t code = column.codes[row];
  if (code == -1) return tree_.missing_child[i];
  const auto first = tree_.category_code.begin() + tree_.category_offset[i];
  const auto last = tree_.category_code.begin() + tree_.category_offset[i + 1];
  const auto found = std::lower_bound(first, last, code);
  if (found == last || *found != code) return tree_.unknown_child[i];
  return tree_.category_child[static_cast<std::size_t>(found - tree_.category_code.begin())];
}

void ShapTree::add(const TableView& table, std::size_t row, double scale, double* out,
                   std::size_t stride, Stop& stop) {
  table_ = &table;
  row_ = row;
  scale_ = scale;
  out_ = out;
  stride_ = stride;
  path_.clear();
  products_.assign(points_.size(), 1.0);
  visit(0, 0, stop);
}

void ShapTree::visit(std::int32_t node, std::size_t depth, Stop& stop) {
  if (stop.requested(static_cast<std::int64_t>(points_.size()))) throw Stopped{};
  if (tree_.split_kind[at(node)] == kLeaf) return arrive(node, depth);
  const std::int32_t side = side_of(node, *table_, row_);
  const double total = weight_below(node);
  const bool ends_known = side == kStop || (side == kFractional && !(total > 0.0));
  follow(node, -1, ends_known ? 1.0 : 0.0, total > 0.0 ? 0.0 : 1.0, depth, stop);
  for (std::int32_t c = 0; c < tree_.n_children(node); ++c) {
    const std::int32_t child = tree_.child(node, c);
    const double share =
        total > 0.0 ? tree_.weighted_n_node_samples[at(child)] / total : 0.0;
    follow(node, child, side == kFractional ? share : side == c ? 1.0 : 0.0, share, depth, stop);
  }
}

// Goes to a node, or ends at this one (-1), with the fractions of rows that do.
void ShapTree::follow(std::int32_t node, std::int32_t to, double one, double zero,
                      std::size_t depth, Stop& stop) {
  if (one == 0.0 && zero == 0.0) return;
  const std::int32_t column = tree_.column[at(node)];
  const std::size_t n = points_.size();
  const auto place = std::find_if(path_.begin(), path_.end(),
                                  [&](const Known& known) { return known.column == column; });
  const auto number = static_cast<std::size_t>(place - path_.begin());
  const bool is_new = place == path_.end();
  if (is_new) path_.push_back({column, 1.0, 1.0});
  const Known before = path_[number];
  const Known now{column, before.one * one, before.zero * zero};
  if (now.one != 0.0 || now.zero != 0.0) {
    path_[number] = now;
    if (products_.size() < (depth + 2) * n) products_.resize((depth + 2) * n);
    for (std::size_t q = 0; q < n; ++q) {
      const double t = points_[q];
      const double was = before.one * t + before.zero * (1.0 - t);
      products_[(depth + 1) * n + q] =
          products_[depth * n + q] / was * (now.one * t + now.zero * (1.0 - t));
    }
    if (to < 0)
      arrive(node, depth + 1);
    else
      visit(to, depth + 1, stop);
  }
  if (is_new)
    path_.pop_back();
  else
    path_[number] = before;
}

void ShapTree::arrive(std::int32_t node, std::size_t depth) {
  const std::size_t n = points_.size();
  const double* const product = products_.data() + depth * n;
  for (const Known& known : path_) {
    if (known.one == known.zero) continue;
    double share = 0.0;
    for (std::size_t q = 0; q < n; ++q) {
      const double t = points_[q];
      share += weights_[q] * product[q] / (known.one * t + known.zero * (1.0 - t));
    }
    share *= scale_ * (known.one - known.zero);
    double* const to = out_ + at(known.column) * stride_;
    for (std::size_t k = 0; k < n_outputs_; ++k) to[k] += share * values_[at(node) * n_outputs_ + k];
  }
}

}  // namespace mixedwood
