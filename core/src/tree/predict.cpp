#include "mixedwood/predict.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

namespace mixedwood {
namespace {

// Answers tests. With many rows, nominal tests are first laid out as one array per node, code ->
// child; otherwise, and where that would take more room than the rows, values are looked up.
class Router {
 public:
  Router(const TreeView& tree, const TableView& table) : tree_(tree), table_(table) {
    std::size_t room = 0;
    for (std::size_t i = 0; i < tree.kind.size(); ++i)
      if (is_nominal(i)) room += static_cast<std::size_t>(codes_of(i).n_values);
    if (room > 4 * table.n_rows + 1024) return;
    start_.assign(tree.kind.size(), 0);
    child_of_.reserve(room);
    for (std::size_t i = 0; i < tree.kind.size(); ++i) {
      start_[i] = child_of_.size();
      if (!is_nominal(i)) continue;
      child_of_.resize(start_[i] + static_cast<std::size_t>(codes_of(i).n_values),
                       tree.unseen_child[i]);
      for (auto v = tree.value_offset[i]; v < tree.value_offset[i + 1]; ++v) {
        const auto entry = static_cast<std::size_t>(v);
        child_of_[start_[i] + static_cast<std::size_t>(tree.value_code[entry])] =
            tree.value_child[entry];
      }
    }
  }

  // Position of the child for a row; kStopHere or kFractional where the test has no answer.
  std::int32_t child_position(std::size_t node, std::size_t row) const {
    switch (tree_.kind[node]) {
      case kInterval: {
        const ColumnView& column = table_.columns[static_cast<std::size_t>(tree_.column[node])];
        double x = 0.0;
        if (column.numbers != nullptr) {
          x = column.numbers[row];
          if (std::isnan(x)) return tree_.missing_child[node];
        } else {
          const std::int32_t code = column.codes[row];
          if (code < 0) return code == -1 ? tree_.missing_child[node] : tree_.unseen_child[node];
          x = code;
        }
        return x > tree_.low[node] && x <= tree_.high[node] ? 0 : 1;
      }
      case kSubset:
      case kMultiway: {
        const std::int32_t code =
            table_.columns[static_cast<std::size_t>(tree_.column[node])].codes[row];
        if (code < 0) return code == -1 ? tree_.missing_child[node] : tree_.unseen_child[node];
        if (!start_.empty()) return child_of_[start_[node] + static_cast<std::size_t>(code)];
        return look_up(node, code);
      }
      case kLinear: {
        double sum = tree_.intercept[node];
        for (auto t = tree_.term_offset[node]; t < tree_.term_offset[node + 1]; ++t) {
          const auto term = static_cast<std::size_t>(t);
          const double x =
              table_.columns[static_cast<std::size_t>(tree_.term_column[term])].numbers[row];
          if (std::isnan(x)) return tree_.missing_child[node];
          sum += tree_.term_weight[term] * x;
        }
        return sum > 0.0 ? 0 : 1;
      }
      default:
        return kStopHere;
    }
  }

 private:
  bool is_nominal(std::size_t node) const {
    return tree_.kind[node] == kSubset || tree_.kind[node] == kMultiway;
  }
  const ColumnView& codes_of(std::size_t node) const {
    return table_.columns[static_cast<std::size_t>(tree_.column[node])];
  }
  std::int32_t look_up(std::size_t node, std::int32_t code) const {
    const auto first = tree_.value_code.begin() + tree_.value_offset[node];
    const auto last = tree_.value_code.begin() + tree_.value_offset[node + 1];
    const auto found = std::lower_bound(first, last, code);
    if (found == last || *found != code) return tree_.unseen_child[node];
    return tree_.value_child[static_cast<std::size_t>(found - tree_.value_code.begin())];
  }

  const TreeView& tree_;
  const TableView& table_;
  std::vector<std::size_t> start_;  // of a node in child_of_; empty when values are looked up
  std::vector<std::int32_t> child_of_;
};

}  // namespace

void route(const TreeView& tree, const TableView& table, std::span<std::int32_t> answers) {
  const Router router(tree, table);
  for (std::size_t row = 0; row < table.n_rows; ++row) {
    std::int32_t node = 0;
    while (tree.kind[static_cast<std::size_t>(node)] != kLeaf) {
      const std::int32_t position = router.child_position(static_cast<std::size_t>(node), row);
      if (position == kFractional)
        throw std::invalid_argument("the tree sends rows to several children at once");
      if (position == kStopHere) break;
      node = tree.child(node, position);
    }
    answers[row] = node;
  }
}

void distribute(const TreeView& tree, const TableView& table, std::span<const double> answers,
                std::size_t n_outputs, std::span<double> out) {
  const Router router(tree, table);
  std::fill(out.begin(), out.end(), 0.0);
  std::vector<std::pair<std::int32_t, double>> waiting;  // node, share of the row
  for (std::size_t row = 0; row < table.n_rows; ++row) {
    waiting.assign(1, {0, 1.0});
    while (!waiting.empty()) {
      const auto [node, share] = waiting.back();
      waiting.pop_back();
      const auto i = static_cast<std::size_t>(node);
      const std::int32_t position =
          tree.kind[i] == kLeaf ? kStopHere : router.child_position(i, row);
      double reached = 0.0;
      if (position == kFractional)
        for (std::int32_t c = 0; c < tree.n_children(node); ++c)
          reached += tree.weight[static_cast<std::size_t>(tree.child(node, c))];
      if (position >= 0) {
        waiting.emplace_back(tree.child(node, position), share);
      } else if (reached > 0.0) {
        for (std::int32_t c = 0; c < tree.n_children(node); ++c) {
          const std::int32_t child = tree.child(node, c);
          const double part = tree.weight[static_cast<std::size_t>(child)] / reached;
          if (part > 0.0) waiting.emplace_back(child, share * part);
        }
      } else {
        for (std::size_t l = 0; l < n_outputs; ++l)
          out[row * n_outputs + l] += share * answers[i * n_outputs + l];
      }
    }
  }
}

}  // namespace mixedwood
