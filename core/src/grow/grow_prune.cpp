#include "mixedwood/grow_prune.hpp"

#include <algorithm>
#include <stdexcept>

#include "grow_prune_loop.hpp"
#include "mixedwood/costs.hpp"
#include "mixedwood/pruning.hpp"

namespace mixedwood {
namespace {

// Sums of the same weights in another order are equal, to this, relative to all weight.
constexpr double kEqual = 1e-12;

class ClassLoop : public GrowPruneLoop {
 public:
  ClassLoop(const EncodedTable& table, const GrowData& data, std::span<const std::int8_t> halves,
            const GrowSettings& settings, const GrowPruneSettings& turns, Stop& stop)
      : GrowPruneLoop(table, halves, static_cast<std::size_t>(data.n_classes), turns, stop),
        table_(table),
        data_(data),
        settings_(settings) {}

 private:
  GrownTree grow_from(std::span<const std::int32_t> rows,
                      std::span<const std::int64_t> starts) override {
    GrowData data = data_;
    data.rows = rows;
    data.starts = starts;
    return grow(table_, data, settings_, stop_);
  }

  std::vector<std::uint8_t> unwanted(std::span<const std::int32_t> parent,
                                     std::span<const std::int32_t> rows,
                                     std::span<const std::uint8_t> inherited) const override {
    std::vector<double> counts(parent.size() * width_, 0.0);
    count(rows, counts);
    return reduced_error({parent, tree_.label, counts, width_, settings_.costs}, inherited);
  }

  // Class weights of the rows that stop at each node.
  void count(std::span<const std::int32_t> rows, std::vector<double>& counts) const {
    for (const std::int32_t row : rows) {
      const double weight = data_.weights.empty() ? 1.0 : data_.weights[at(row)];
      counts[at(node_of_row_[at(row)]) * width_ + at(data_.classes[at(row)])] += weight;
    }
  }

  void refit(std::span<const std::int32_t> parent) override {
    const std::size_t n = tree_.split_kind.size();
    tree_.statistics.assign(n * width_, 0.0);
    for (const auto& rows : half_) count(rows, tree_.statistics);
    for (std::size_t i = n; i-- > 1;)
      for (std::size_t l = 0; l < width_; ++l)
        tree_.statistics[at(parent[i]) * width_ + l] += tree_.statistics[i * width_ + l];
    double total = 0.0;
    for (std::size_t l = 0; l < width_; ++l) total += tree_.statistics[l];
    for (std::size_t i = 0; i < n; ++i) {
      const std::span<const double> counts{tree_.statistics.data() + i * width_, width_};
      const double most = *std::max_element(counts.begin(), counts.end()) - kEqual * total;
      std::int32_t label = 0;  // the first of equals
      while (counts[at(label)] < most) ++label;
      tree_.label[i] = settings_.costs.empty() ? label : least_cost_label(counts, settings_.costs);
      tree_.weighted_n_node_samples[i] = 0.0;
      for (const double weight : counts) tree_.weighted_n_node_samples[i] += weight;
    }
  }

  const EncodedTable& table_;
  const GrowData& data_;
  const GrowSettings& settings_;
};

}  // namespace

GrowPruneResult grow_prune(const EncodedTable& table, const GrowData& data,
                           std::span<const std::int8_t> halves, const GrowSettings& settings,
                           const GrowPruneSettings& turns, Stop& stop) {
  if (settings.fractional())
    throw std::invalid_argument("rows that are shared out cannot prune a tree");
  if (settings.linear != nullptr)
    throw std::invalid_argument("trees that are grown and pruned in turns have no linear splits");
  if (data.classes.size() != table.n_rows)
    throw std::invalid_argument("a class is needed for each row");
  return ClassLoop(table, data, halves, settings, turns, stop).run();
}

}  // namespace mixedwood
