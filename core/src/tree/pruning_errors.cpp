// What cutting nodes does to the errors on given rows: along a path of cost-complexity pruning, and
// for reduced-error pruning (Quinlan 1987).
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "mixedwood/costs.hpp"
#include "mixedwood/pruning.hpp"

namespace mixedwood {
namespace {

// Sums of the same weights in another order are equal, to this, relative to all weight.
constexpr double kEqual = 1e-12;

// Errors of each node: on the rows that stop at it, and on all that would as a leaf.
struct NodeErrors {
  std::vector<double> ended, arrived;
};

void check(const RoutedRows& rows) {
  check_parents(rows.parent);
  if (rows.label.size() != rows.parent.size() ||
      rows.counts.size() != rows.parent.size() * rows.n_classes)
    throw std::invalid_argument("a label and class weights are needed for each node");
  if (rows.costs.empty()) return;
  if (rows.costs.size() != rows.n_classes * rows.n_classes)
    throw std::invalid_argument("costs must have one row and one column per class");
  for (const std::int32_t label : rows.label)
    if (label < 0 || static_cast<std::size_t>(label) >= rows.n_classes)
      throw std::invalid_argument("a label is not one of the classes");
}

NodeErrors node_errors(const RoutedRows& rows) {
  check(rows);
  const std::size_t n = rows.parent.size(), k = rows.n_classes;
  NodeErrors errors{std::vector<double>(n, 0.0), std::vector<double>(n, 0.0)};
  std::vector<double> arrived(rows.counts.begin(), rows.counts.end());  // here or below
  for (std::size_t i = n; i-- > 0;) {
    const auto label = static_cast<std::size_t>(rows.label[i]);  // without costs, of any class
    errors.ended[i] = cost_of_label(rows.counts.subspan(i * k, k), rows.costs, label);
    errors.arrived[i] = cost_of_label({arrived.data() + i * k, k}, rows.costs, label);
    for (std::size_t l = 0; l < k; ++l)
      if (i > 0) arrived[at(rows.parent[i]) * k + l] += arrived[i * k + l];
  }
  return errors;
}

}  // namespace

std::vector<double> path_errors(const RoutedRows& rows, std::span<const double> cut_at,
                                std::span<const double> alphas) {
  const NodeErrors errors = node_errors(rows);
  const std::size_t n = rows.parent.size();
  if (cut_at.size() != n) throw std::invalid_argument("one cut is needed for each node");
  for (const double cut : cut_at)
    if (std::isnan(cut)) throw std::invalid_argument("the cut of a node must be a number");
  for (std::size_t a = 0; a < alphas.size(); ++a)
    if (std::isnan(alphas[a]) || (a > 0 && alphas[a] < alphas[a - 1]))
      throw std::invalid_argument("alphas must be ascending numbers");

  // What is added from each alpha on. A node is in the tree at alphas [0, gone), and a leaf from
  // `leaf` on; before that it predicts the rows that stop there.
  std::vector<double> change(alphas.size() + 1, 0.0);
  const auto add = [&change](double weight, std::size_t from, std::size_t to) {
    if (from >= to || weight == 0.0) return;
    change[from] += weight;
    change[to] -= weight;
  };
  std::vector<std::size_t> leaf_from(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t gone =
        i == 0 ? alphas.size() : leaf_from[at(rows.parent[i])];
    const auto first = std::lower_bound(alphas.begin(), alphas.end(), cut_at[i]);
    leaf_from[i] = std::min(gone, static_cast<std::size_t>(first - alphas.begin()));
    add(errors.ended[i], 0, leaf_from[i]);
    add(errors.arrived[i], leaf_from[i], gone);
  }
  change.pop_back();
  for (std::size_t a = 1; a < change.size(); ++a) change[a] += change[a - 1];
  // Weights with fractions do not cancel to the last bit.
  for (double& weight : change) weight = std::max(weight, 0.0);
  return change;
}

std::vector<std::uint8_t> reduced_error(const RoutedRows& rows,
                                        std::span<const std::uint8_t> inherited) {
  const NodeErrors errors = node_errors(rows);
  const std::size_t n = rows.parent.size();
  if (inherited.size() != n) throw std::invalid_argument("one flag is needed for each node");
  double total = 0.0;
  for (const double weight : rows.counts) total += weight;
  if (!rows.costs.empty()) total *= std::ranges::max(rows.costs);
  return cut_where_no_worse(rows.parent, errors.ended, errors.arrived,
                            std::vector<double>(n, kEqual * total), inherited);
}

std::vector<std::uint8_t> cut_where_no_worse(std::span<const std::int32_t> parent,
                                             std::span<const double> ended,
                                             std::span<const double> arrived,
                                             std::span<const double> slack,
                                             std::span<const std::uint8_t> inherited) {
  const std::size_t n = parent.size();
  std::vector<double> below(n, 0.0);  // errors of the pruned trees of the children
  std::vector<std::uint8_t> inner(n, 0), cut(n, 0);
  for (std::size_t i = n; i-- > 0;) {
    const double own = arrived[i], subtree = below[i] + ended[i];
    cut[i] = inner[i] && (inherited[i] ? own < subtree - slack[i] : own <= subtree + slack[i]);
    if (i == 0) break;
    const auto above = static_cast<std::size_t>(parent[i]);
    inner[above] = 1;
    below[above] += cut[i] ? own : subtree;
  }
  return cut;
}

}  // namespace mixedwood
