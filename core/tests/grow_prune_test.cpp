// Growing and pruning in turns: a worked example, and what holds on random tables. Run under the
// sanitizers too; the reference implementation is in Python.
#include "mixedwood/grow_prune.hpp"

#include <limits>
#include <memory>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "mixedwood/random.hpp"
#include "mixedwood/registry.hpp"

using namespace mixedwood;

namespace {

struct Parts {
  GrowSettings settings;

  Parts() {
    settings.criterion = criterion_info("gini").make({});
    settings.partitioner = make_partitioner("auto");
  }
};

bool is_tree(const GrownTree& tree, const TableView& table) {
  check_tree(tree, table);
  return true;
}

}  // namespace

TEST(growing_and_pruning_of_a_worked_example) {
  std::vector<double> x;
  for (int i = 1; i <= 12; ++i) x.push_back(i);
  const std::vector<std::int32_t> classes{0, 0, 1, 1, 1, 0, 1, 1, 0, 0, 1, 1};
  const std::vector<std::int8_t> halves{0, 0, 1, 0, 1, 1, 1, 0, 1, 0, 1, 0};
  const EncodedTable table({{{nullptr, x.data(), 0}, true}}, x.size());
  GrowData data;
  data.classes = classes;
  data.n_classes = 2;
  const Parts parts;
  Stop stop;
  const GrowPruneResult result = grow_prune(table, data, halves, parts.settings, {}, stop);
  CHECK((result.grown == std::vector<std::int64_t>{4, 6, 6}));
  CHECK((result.pruned == std::vector<std::int64_t>{2, 6, 6}));
  CHECK(result.ended);
  CHECK(result.tree.high[0] == 3.0);
  CHECK((result.tree.statistics[0] == 3.0 && result.tree.statistics[1] == 3.0));  // of the first half

  const GrowPruneResult once = grow_prune(table, data, halves, parts.settings, {1, true}, stop);
  CHECK(!once.ended && once.pruned.size() == 1);
  CHECK((once.tree.statistics == std::vector<double>{5, 7, 2, 1, 3, 6}));  // of all rows
  CHECK((once.tree.label == std::vector<std::int32_t>{1, 0, 1}));
}

TEST(growing_and_pruning_ends_in_a_tree_that_never_shrank) {
  Random random(3);
  for (int round = 0; round < 200; ++round) {
    const std::size_t n = 1 + random.below(120);
    const auto k = static_cast<std::int32_t>(2 + random.below(3));
    std::vector<double> x(n), weights(n);
    std::vector<std::int32_t> codes(n), classes(n);
    std::vector<std::int8_t> halves(n);
    for (std::size_t row = 0; row < n; ++row) {
      classes[row] = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(k)));
      x[row] = random.below(10) == 0 ? std::numeric_limits<double>::quiet_NaN()
                                     : random.normal() + classes[row];
      codes[row] = static_cast<std::int32_t>(random.below(8)) - 1;
      weights[row] = random.uniform() + 0.1;
      halves[row] = static_cast<std::int8_t>(static_cast<int>(random.below(3)) - 1);
    }
    halves[0] = 0;
    const std::vector<InputColumn> columns{{{nullptr, x.data(), 0}, true},
                                          {{codes.data(), nullptr, 7}, false}};
    const EncodedTable table(columns, n);
    GrowData data;
    data.classes = classes;
    data.n_classes = k;
    if (random.coin()) data.weights = weights;
    Parts parts;
    parts.settings.handle_missing = random.coin() ? HandleMissing::kCategory : HandleMissing::kLearned;
    parts.settings.handle_unknown = static_cast<HandleUnknown>(random.below(3));
    Stop stop;
    const GrowPruneResult result =
        grow_prune(table, data, halves, parts.settings, {20, random.coin()}, stop);
    CHECK(result.ended);
    TableView view;
    view.columns = {columns[0].view, columns[1].view};
    view.n_rows = n;
    CHECK(is_tree(result.tree, view));
    for (std::size_t i = 0; i < result.grown.size(); ++i) {
      CHECK(result.pruned[i] <= result.grown[i]);
      if (i > 0) CHECK(result.pruned[i] >= result.pruned[i - 1]);
    }
  }
}

TEST(growing_and_pruning_refuses) {
  const std::vector<double> x{1, 2};
  const std::vector<std::int32_t> classes{0, 1};
  const EncodedTable table({{{nullptr, x.data(), 0}, true}}, x.size());
  GrowData data;
  data.classes = classes;
  data.n_classes = 2;
  Parts parts;
  Stop stop;
  const std::vector<std::int8_t> fine{0, 1}, too_few{0}, nobody{1, 1};
  const auto said = [&](const std::vector<std::int8_t>& halves, std::int64_t most) {
    return check::message_of(
        [&] { grow_prune(table, data, halves, parts.settings, {most}, stop); });
  };
  CHECK(said(fine, 20).empty());
  CHECK(said(too_few, 20) == "a half is needed for each row");
  CHECK(said(nobody, 20) == "no row is in the half that grows first");
  CHECK(said(fine, 0) == "at least one iteration is needed");
  parts.settings.handle_missing = HandleMissing::kAllChildren;
  CHECK(said(fine, 20) == "rows that are shared out cannot prune a tree");
}
