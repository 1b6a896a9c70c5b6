// Growing and pruning in turns by the loss of numbers. That it ends is proven as for errors: the number of a
// node has the least loss on the half that made it, so that half never loses by a split it made, and a split
// stays that has lowered the loss of the other half as well.
#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../grow/grow_prune_loop.hpp"
#include "mixedwood/pruning.hpp"
#include "mixedwood/regress.hpp"
#include "statistics.hpp"

namespace mixedwood {
namespace {

// Sums of the same losses in another order are equal, to this.
constexpr double kEqual = 1e-12;

class NumberLoop : public GrowPruneLoop {
 public:
  NumberLoop(const EncodedTable& table, const RegressData& data, std::span<const std::int8_t> halves,
             const RegressSettings& settings, const GrowPruneSettings& turns, Stop& stop)
      : GrowPruneLoop(table, halves, kRegressionStatistics, turns, stop),
        table_(table),
        data_(data),
        settings_(settings) {}

 private:
  GrownTree grow_from(std::span<const std::int32_t> rows,
                      std::span<const std::int64_t> starts) override {
    RegressData data = data_;
    data.rows = rows;
    data.starts = starts;
    return regress(table_, data, settings_, stop_);
  }

  double weight(std::int32_t row) const { return data_.weights.empty() ? 1.0 : data_.weights[at(row)]; }

  std::vector<std::uint8_t> unwanted(std::span<const std::int32_t> parent,
                                     std::span<const std::int32_t> rows,
                                     std::span<const std::uint8_t> inherited) const override {
    const std::size_t n = parent.size();
    std::vector<double> ended(n, 0.0), arrived(n, 0.0), slack(n);
    for (const std::int32_t row : rows) {
      const double y = data_.target[at(row)];
      const std::int32_t last = node_of_row_[at(row)];
      for (std::int32_t node = last; node >= 0; node = parent[at(node)]) {
        const double value = tree_.statistics[at(node) * width_ + 1];
        const double loss = weight(row) * regression::row_loss(settings_.criterion, y, value);
        arrived[at(node)] += loss;
        if (node == last) ended[at(node)] += loss;
      }
    }
    for (std::size_t i = 0; i < n; ++i) slack[i] = kEqual * arrived[i];
    return cut_where_no_worse(parent, ended, arrived, slack, inherited);
  }

  void refit(std::span<const std::int32_t> parent) override {
    const std::size_t n = parent.size();
    std::vector<std::vector<std::int32_t>> rows(n);  // that pass each node
    for (const auto& half : half_)
      for (const std::int32_t row : half) rows[at(node_of_row_[at(row)])].push_back(row);
    std::vector<double> weights;
    for (std::size_t i = n; i-- > 0;) {
      std::sort(rows[i].begin(), rows[i].end());
      weights.clear();
      for (const std::int32_t row : rows[i]) weights.push_back(weight(row));
      const auto found =
          regression::node_statistics(settings_.criterion, rows[i], weights, data_.target);
      tree_.weighted_n_node_samples[i] = found.weight;
      std::size_t place = i * width_;
      for (const double statistic : {found.weight, found.value, found.squares, found.loss})
        tree_.statistics[place++] = statistic;
      if (i == 0) break;
      auto& above = rows[at(parent[i])];
      above.insert(above.end(), rows[i].begin(), rows[i].end());
      rows[i] = {};
    }
  }

  const EncodedTable& table_;
  const RegressData& data_;
  const RegressSettings& settings_;
};

}  // namespace

GrowPruneResult grow_prune_numbers(const EncodedTable& table, const RegressData& data,
                                   std::span<const std::int8_t> halves,
                                   const RegressSettings& settings, const GrowPruneSettings& turns,
                                   Stop& stop) {
  if (data.target.size() != table.n_rows)
    throw std::invalid_argument("one target is needed for each row");
  return NumberLoop(table, data, halves, settings, turns, stop).run();
}

}  // namespace mixedwood
