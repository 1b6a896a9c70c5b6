// Splits of trees that predict numbers, chosen from sums alone.
#include "mixedwood/counted.hpp"

#include <stdexcept>
#include <utility>
#include <vector>

#include "mixedwood/random.hpp"
#include "search.hpp"

namespace mixedwood {

ChosenSplit choose_split(const CountedTable& table, const RegressSettings& settings,
                         const MomentHistogram& given, std::uint64_t seed,
                         std::vector<std::int32_t> columns, Stop& stop) {
  using regression::Cell;
  using regression::Moments;
  if (settings.criterion == RegressionLoss::kAbsoluteError ||
      settings.selection == Selection::kAverageGain || !settings.monotonic_cst.empty() ||
      settings.handle_missing == HandleMissing::kAllChildren)
    throw std::invalid_argument("these settings need the rows of the table");
  for (const auto cells : {given.rows, given.weights, given.sums, given.squares})
    if (cells.size() != table.length || table.n_classes != 1)
      throw std::invalid_argument("a histogram does not fit the table");
  for (const std::int32_t c : columns)
    if (c < 0 || at(c) >= table.columns.size()) throw std::invalid_argument("no such column");
  // As in memory: relative to the mean, but for a Poisson loss.
  const double origin = settings.criterion == RegressionLoss::kPoisson ? 0.0 : given.mean;
  std::vector<std::vector<Cell>> counted(table.columns.size());
  for (std::size_t c = 0; c < counted.size(); ++c) {
    counted[c].resize(at(table.columns[c].n_values()) + 1);
    const auto first = static_cast<std::size_t>(table.offset[c]);
    for (std::size_t v = 0; v < counted[c].size(); ++v) {
      const double weight = given.weights[first + v], sum = given.sums[first + v];
      counted[c][v] = {{given.rows[first + v], weight, sum - origin * weight},
                       given.squares[first + v] - origin * (2.0 * sum - origin * weight)};
    }
  }
  const Moments total{given.n_rows, given.weight, given.sum - origin * given.weight};
  regression::NodeRows rows{{}, {}, total, given.squared_deviations, given.loss};
  rows.counted = &counted;
  regression::Search search(settings, 1.0, given.whole_weights, stop);
  regression::ColumnChoice choice(settings, table.columns, search, stop);
  regression::ChoiceAtNode node{seed, std::move(columns)};
  choice.choose(node, rows);
  ChosenSplit chosen;
  if (!node.split.found() || stop.requested()) {
    chosen.columns = std::move(node.columns);
    return chosen;
  }
  const double worth = node.split.rank * given.weight;
  return chosen_split(std::move(node.split), std::move(node.columns), worth, seed,
                      table.columns.size());
}

}  // namespace mixedwood
