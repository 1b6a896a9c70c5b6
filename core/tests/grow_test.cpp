// Growth on random tables with all settings at random: whatever comes out is a tree, and its counts
// are those of the rows that reach each node. Run under the sanitizers too.
#include "mixedwood/grow.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>

#include "check.hpp"
#include "mixedwood/router.hpp"
#include "mixedwood/random.hpp"
#include "mixedwood/registry.hpp"

using namespace mixedwood;

namespace {

struct RandomTable {
  std::vector<std::vector<std::int32_t>> codes;
  std::vector<std::vector<double>> numbers;
  std::vector<std::int32_t> classes;
  std::vector<double> weights;
  GrowData data;
  std::vector<InputColumn> columns;
  TableView table;

  RandomTable(Random& random, std::size_t n_rows, bool weighted) {
    const std::size_t n_columns = 1 + random.below(5);
    const auto n_classes = static_cast<std::int32_t>(1 + random.below(5));
    codes.resize(n_columns);
    numbers.resize(n_columns);
    const bool missing = random.coin();
    for (std::size_t row = 0; row < n_rows; ++row) {
      classes.push_back(static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(n_classes))));
      if (weighted) weights.push_back(random.below(4) == 0 ? 0.0 : random.uniform() * 3.0);
    }
    if (weighted) weights[0] = 1.0;
    for (std::size_t c = 0; c < n_columns; ++c) {
      InputColumn column;
      if (random.coin()) {
        const auto n_values = static_cast<std::int32_t>(1 + random.below(random.coin() ? 6 : 400));
        for (std::size_t row = 0; row < n_rows; ++row)
          codes[c].push_back(missing && random.below(8) == 0
                                 ? -1
                                 : static_cast<std::int32_t>(
                                       random.below(static_cast<std::uint64_t>(n_values))));
        column = {{codes[c].data(), nullptr, n_values}, random.below(3) == 0};
      } else {
        const std::uint64_t kind = random.below(3);
        for (std::size_t row = 0; row < n_rows; ++row) {
          double x = random.normal() + 0.3 * classes[row];
          if (kind == 0) x = std::floor(x * 4.0);
          if (kind == 1) x = x < 0.0 ? -0.0 : 0.0;
          if (missing && random.below(8) == 0) x = std::numeric_limits<double>::quiet_NaN();
          numbers[c].push_back(x);
        }
        column = {{nullptr, numbers[c].data(), 0}, true};
      }
      columns.push_back(column);
      table.columns.push_back(column.view);
    }
    data.classes = classes;
    data.weights = weights;
    data.n_classes = n_classes;
    table.n_rows = n_rows;
  }
};

std::shared_ptr<LinearSettings> random_linear(Random& random) {
  auto made = std::make_shared<LinearSettings>();
  LinearSettings& settings = *made;
  for (std::uint64_t left = 1 + random.below(2); left > 0; --left) {
    const auto loss = static_cast<LinearLoss>(random.below(5));
    const std::vector<double> costs = random.coin() ? std::vector{1.0} : std::vector{0.1, 1.0, 10.0};
    settings.models.push_back(make_newton_model(loss, 5.0, costs));
  }
  settings.multi_class = static_cast<MultiClass>(random.below(4));
  settings.node_features = static_cast<NodeFeatures>(random.below(2));
  settings.max_terms = random.coin() ? 256 : 6;
  settings.intercept = static_cast<Intercept>(random.below(2));
  settings.score_on = static_cast<ScoreOn>(random.below(2));
  settings.node_cv = static_cast<std::int32_t>(1 + random.below(4));
  settings.max_tuning_rows = random.coin() ? 2000 : 15;
  settings.min_samples_model = random.coin() ? 2.0 : 10.0;
  return made;
}

std::vector<double> counted(const RandomTable& random, const TreeView& view) {
  const auto k = static_cast<std::size_t>(random.data.n_classes);
  std::vector<std::int32_t> ends(random.table.n_rows);
  Router(view, random.table).route(random.table, ends);
  std::vector<double> counts(view.split_kind.size() * k, 0.0);
  for (std::size_t row = 0; row < ends.size(); ++row)
    counts[at(ends[row]) * k +
           static_cast<std::size_t>(random.classes[row])] +=
        random.weights.empty() ? 1.0 : random.weights[row];
  return counts;
}

void grow_and_check(Random& random, std::size_t n_rows) {
  const bool weighted = random.below(3) == 0;
  RandomTable table(random, n_rows, weighted);
  const char* criteria_names[] = {"gini",   "entropy", "gain_ratio",
                                  "twoing", "chi2",    "pearson_chi2"};
  const char* searches[] = {"auto",         "auto",     "principal", "one_vs_rest",
                            "random_order", "multiway", "c45_groups"};
  const std::string criterion = criteria_names[random.below(6)];
  std::string search = searches[random.below(7)];
  GrowSettings settings;
  settings.criterion = criterion_info(criterion).make({});
  const bool many = search == "multiway" || search == "c45_groups";
  if (many && !settings.criterion->traits().many_groups) search = "auto";
  settings.partitioner = make_partitioner(search);
  settings.rules = static_cast<Rules>(random.below(8) < 6 ? 0 : 1 + random.below(2));
  settings.selection = static_cast<Selection>(random.below(4) < 2 ? 0 : 1 + random.below(2));
  if (random.below(4) == 0) {
    settings.screeners.push_back(make_screener("chi2"));
    settings.screeners.push_back(make_screener("second_value", {{"min_weight", 3.0}}));
  }
  const bool fractional = settings.rules != Rules::kParts || random.below(5) == 0;
  settings.handle_missing = fractional       ? HandleMissing::kAllChildren
                            : random.coin() ? HandleMissing::kCategory
                                             : HandleMissing::kLearned;
  settings.min_samples_leaf = random.below(3) == 0 ? 3.0 : 1.0;
  settings.min_samples_split = 2.0 * settings.min_samples_leaf;
  if (random.below(3) == 0) settings.max_depth = static_cast<std::int32_t>(random.below(5));
  if (random.below(4) == 0) settings.max_leaf_nodes = static_cast<std::int64_t>(1 + random.below(9));
  settings.best_first = random.coin();
  if (random.below(4) == 0 && settings.rules != Rules::kC45) settings.max_features = 1;
  settings.handle_unknown = static_cast<HandleUnknown>(random.below(3));
  settings.seed = random.bits();
  if (settings.rules == Rules::kParts && settings.selection != Selection::kSignificance &&
      random.coin()) {
    settings.linear = random_linear(random);
    settings.axis_aligned = random.coin();
  }
  Stop stop;
  const GrownTree tree = grow(EncodedTable(table.columns, n_rows), table.data, settings, stop);
  const TreeView view(tree);
  check_tree(view, table.table);
  const auto leaves = std::count(tree.split_kind.begin(), tree.split_kind.end(), kLeaf);
  CHECK(!settings.max_leaf_nodes || leaves <= settings.max_leaf_nodes);
  if (settings.fractional()) return;
  const std::vector<double> counts = counted(table, view);
  const auto k = static_cast<std::size_t>(table.data.n_classes);
  for (std::size_t node = 0; node < tree.split_kind.size(); ++node) {
    if (tree.split_kind[node] != kLeaf) continue;
    double rows = 0.0;
    for (std::size_t l = 0; l < k; ++l) {
      CHECK_NEAR(tree.statistics[node * k + l], counts[node * k + l], 1e-9);
      rows += counts[node * k + l];
    }
    if (!weighted && !settings.partitioner->traits.many_groups && tree.split_kind.size() > 1)
       CHECK(rows >= settings.min_samples_leaf);
  }
}

bool refuses(const std::vector<InputColumn>& columns, const GrowData& data,
             const GrowSettings& settings) {
  Stop stop;
  try {
    grow(EncodedTable(columns, 2), data, settings, stop);
  } catch (const std::invalid_argument&) {
    return true;
  }
  return false;
}

}  // namespace

TEST(growth_on_random_tables) {
  Random random(7);
  for (int i = 0; i < 4000; ++i) grow_and_check(random, 1 + random.below(60));
}

// Enough rows for histograms, for buckets of numbers and for the approximate search of many values.
TEST(growth_on_larger_random_tables) {
  Random random(8);
  for (int i = 0; i < 40; ++i) grow_and_check(random, 2000 + random.below(3000));
}

TEST(bad_data_is_refused) {
  const std::vector<std::int32_t> classes = {0, 1}, codes = {0, 5};
  const std::vector<double> infinite = {0.0, std::numeric_limits<double>::infinity()};
  const std::vector<double> zero = {0.0, 0.0};
  GrowSettings settings;
  settings.criterion = criterion_info("gini").make({});
  settings.partitioner = make_partitioner("auto");
  GrowData data;
  data.classes = classes;
  data.n_classes = 2;
  const std::vector<InputColumn> none;
  CHECK(refuses({{{codes.data(), nullptr, 3}, false}}, data, settings));
  CHECK(refuses({{{nullptr, infinite.data(), 0}, true}}, data, settings));
  CHECK(!refuses(none, data, settings));
  const std::vector<std::int32_t> rows = {1, 1}, beyond = {0, 2};
  const std::vector<std::int64_t> starts = {0, 1, 2}, short_of = {0, 1};
  data.rows = beyond;
  CHECK(refuses(none, data, settings));
  data.rows = rows;
  CHECK(!refuses(none, data, settings));
  data.starts = short_of;
  CHECK(refuses(none, data, settings));
  data.starts = starts;
  CHECK(!refuses(none, data, settings));
  data.weights = zero;
  CHECK(refuses(none, data, settings));
}
