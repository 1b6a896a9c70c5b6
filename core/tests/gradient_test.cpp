// Gradient trees on random tables with all settings at random: whatever comes out is a tree, rows
// are where it sends them, and its steps are those of its rows. Run under the sanitizers too.
#include "mixedwood/gradient.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "check.hpp"
#include "mixedwood/exact_sums.hpp"
#include "mixedwood/gradient_blocks.hpp"
#include "mixedwood/router.hpp"
#include "mixedwood/random.hpp"

using namespace mixedwood;

namespace {

struct RandomTable {
  std::vector<std::vector<std::int32_t>> codes;
  std::vector<std::vector<double>> numbers;
  std::vector<InputColumn> columns;
  TableView table;

  RandomTable(Random& random, std::size_t n_rows) {
    const std::size_t n_columns = random.below(6);
    codes.resize(n_columns);
    numbers.resize(n_columns);
    const bool missing = random.coin();
    for (std::size_t c = 0; c < n_columns; ++c) {
      InputColumn column;
      if (random.coin()) {
        const auto n_values = static_cast<std::int32_t>(1 + random.below(random.coin() ? 6 : 700));
        for (std::size_t row = 0; row < n_rows; ++row)
          codes[c].push_back(missing && random.below(8) == 0
                                 ? -1
                                 : static_cast<std::int32_t>(
                                       random.below(static_cast<std::uint64_t>(n_values))));
        column = {{codes[c].data(), nullptr, n_values}, random.below(3) == 0};
      } else {
        const std::uint64_t kind = random.below(3);
        for (std::size_t row = 0; row < n_rows; ++row) {
          double x = random.normal();
          if (kind == 0) x = std::floor(x * 4.0);
          if (kind == 1) x = std::ldexp(x, static_cast<int>(random.below(2000)) - 1000);
          if (missing && random.below(8) == 0) x = std::numeric_limits<double>::quiet_NaN();
          numbers[c].push_back(x);
        }
        column = {{nullptr, numbers[c].data(), 0}, true};
      }
      columns.push_back(column);
      table.columns.push_back(column.view);
    }
    table.n_rows = n_rows;
  }
};

struct RandomData {
  std::vector<double> gradients, hessians, weights;
  std::vector<std::int32_t> classes, rows, others, columns;
  GradientData data;

  RandomData(Random& random, std::size_t n_rows, std::size_t n_columns) {
    data.n_outputs = 1 + random.below(3);
    data.n_classes = static_cast<std::int32_t>(1 + random.below(4));
    const bool extreme = random.below(6) == 0, flat = random.below(6) == 0;
    for (std::size_t i = 0; i < n_rows * data.n_outputs; ++i) {
      const int power = extreme ? static_cast<int>(random.below(2000)) - 1000 : 0;
      gradients.push_back(std::ldexp(random.normal(), power));
      hessians.push_back(flat || random.below(20) == 0 ? 0.0 : std::ldexp(random.uniform(), power));
    }
    const bool weighted = random.coin();
    for (std::size_t row = 0; row < n_rows; ++row) {
      classes.push_back(
          static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(data.n_classes))));
      if (weighted) weights.push_back(random.uniform());
      const std::uint64_t side = random.below(10);
      auto& list = side < 7 ? rows : others;
      if (side < 9) list.push_back(static_cast<std::int32_t>(row));
    }
    if (rows.empty()) {
      others.clear();
      rows.push_back(0);
    }
    for (std::size_t c = 0; c < n_columns; ++c)
      if (random.coin()) columns.push_back(static_cast<std::int32_t>(c));
    if (random.coin()) columns.clear();
    data.gradients = gradients;
    data.hessians = hessians;
    data.classes = classes;
    data.weights = weights;
    data.rows = rows;
    data.others = others;
    data.columns = columns;
  }
};

GradientSettings random_settings(Random& random) {
  GradientSettings settings;
  if (random.coin()) settings.max_depth = static_cast<std::int32_t>(random.below(6));
  if (random.below(3) == 0) settings.max_leaf_nodes = static_cast<std::int64_t>(1 + random.below(9));
  settings.best_first = random.coin();
  settings.min_samples_leaf = random.below(3) == 0 ? 4.0 : 1.0;
  settings.min_child_weight = random.below(3) == 0 ? 0.5 : 0.0;
  settings.l2_regularization = random.below(3) == 0 ? 0.0 : random.uniform();
  settings.min_split_gain = random.below(4) == 0 ? 0.3 : 0.0;
  if (random.coin()) settings.max_features = static_cast<std::int32_t>(1 + random.below(3));
  settings.category_order = static_cast<CategoryOrder>(random.below(4));
  settings.cat_l2 = random.below(3) == 0 ? 2.0 : 0.0;
  settings.cat_smooth = random.below(3) == 0 ? 2.0 : 0.0;
  settings.handle_unknown = static_cast<HandleUnknown>(random.below(3));
  settings.seed = random.bits();
  settings.n_threads = static_cast<int>(1 + random.below(3));
  return settings;
}

// Steps of the leaves from their rows; only where the largest derivative does not drown the others.
void check_steps(const GradientTree& grown, const GradientData& data, const GradientSettings& settings) {
  const std::size_t n = grown.tree.split_kind.size(), k = data.n_outputs;
  std::vector<double> gradient(n * k, 0.0), hessian(n * k, 0.0), rows(n, 0.0);
  for (const std::int32_t row : data.rows) {
    const auto r = static_cast<std::size_t>(row);
    const auto node = static_cast<std::size_t>(grown.node_of_row[r]);
    rows[node] += 1.0;
    for (std::size_t d = 0; d < k; ++d) {
      gradient[node * k + d] += data.gradients[r * k + d];
      hessian[node * k + d] += data.hessians[r * k + d];
    }
  }
  for (std::size_t node = 0; node < n; ++node) {
    if (grown.tree.split_kind[node] != kLeaf) continue;
    if (n > 1) CHECK(rows[node] >= settings.min_samples_leaf);
    for (std::size_t d = 0; d < k; ++d) {
      const double curvature = hessian[node * k + d] + settings.l2_regularization;
      if (curvature < 1e-3) continue;
      const double step = -gradient[node * k + d] / curvature;
      CHECK_NEAR(grown.values[node * k + d], step, 1e-6 * (1.0 + std::abs(step)));
    }
  }
}

// Rows in blocks give the same tree, in as many passes as memory needs.
void check_blocks(Random& random, const BinnedTable& table, const GradientData& data,
                  const GradientSettings& settings, const GradientTree& expected) {
  const std::size_t k = data.n_outputs, n_columns = table.columns().size();
  std::vector<std::uint8_t> learns(table.n_rows(), 2);  // 2: neither
  for (const std::int32_t row : data.rows) learns[at(row)] = 1;
  for (const std::int32_t row : data.others) learns[at(row)] = 0;
  BinnedSchema schema;
  BlockData given;
  for (std::size_t c = 0; c < n_columns; ++c) {
    const auto& column = table.columns()[c];
    schema.add(column);
    given.thresholds.emplace_back();
    for (const std::int32_t code : column.last_code)
      given.thresholds.back().push_back(
          code + 1 < table.coded().columns[c].n_values()
              ? table.coded().columns[c].threshold(code, code + 1)
              : 0.0);
  }
  given.n_outputs = k;
  given.n_rows = data.rows.size();
  given.columns.assign(data.columns.begin(), data.columns.end());
  // With hardly any memory, each pass over the rows adds up one node; large tables have many.
  const std::size_t little = data.rows.size() < 1000 ? 1 : std::size_t{1} << 22;
  given.max_memory = random.coin() ? little : std::size_t{1} << 29;
  ExactSums weights(2);
  for (const std::int32_t row : data.rows) {
    for (std::size_t d = 0; d < k; ++d) {
      given.max_gradient = std::max(given.max_gradient, std::abs(data.gradients[at(row) * k + d]));
      given.max_hessian = std::max(given.max_hessian, data.hessians[at(row) * k + d]);
    }
    if (data.weights.empty()) continue;
    weights.add(0, data.weights[at(row)]);
    weights.add(1, data.weights[at(row)] * data.weights[at(row)]);
  }
  if (weights.value(0) > 0.0) given.row_weight = weights.value(1) / weights.value(0);
  struct Block {
    std::vector<std::size_t> rows;
    std::vector<std::vector<std::uint16_t>> bins;
    std::vector<BlockColumn> columns;
    std::vector<std::uint8_t> learns;
    std::vector<std::int32_t> nodes;
    std::vector<double> gradients, hessians;
  };
  std::vector<Block> blocks(1);
  for (std::size_t row = 0; row < table.n_rows(); ++row) {
    if (learns[row] == 2) continue;
    if (random.below(table.n_rows() / 3 + 2) == 0) blocks.emplace_back();
    Block& block = blocks.back();
    block.bins.resize(n_columns);
    block.rows.push_back(row);
    block.learns.push_back(learns[row]);
    block.nodes.push_back(0);
    for (std::size_t c = 0; c < n_columns; ++c)
      std::visit(
          [&](const auto& bins) {
            block.bins[c].push_back(static_cast<std::uint16_t>(bins[row * n_columns + c]));
          },
          table.bins());
    for (std::size_t d = 0; d < k; ++d) {
      block.gradients.push_back(data.gradients[row * k + d]);
      block.hessians.push_back(data.hessians[row * k + d]);
    }
  }
  const auto rows_of = [](Block& block) {
    block.columns.clear();
    for (const auto& bins : block.bins) block.columns.push_back({bins.data(), 2});
    return RowBlock{block.columns, block.learns, block.nodes, block.gradients, block.hessians};
  };
  std::erase_if(blocks, [](const Block& block) { return block.rows.empty(); });
  BlockGrower grower(schema, given, settings);
  Stop stop;
  while (grower.begin_pass()) {
    for (Block& block : blocks) grower.add(rows_of(block));
    grower.end_pass(stop);
  }
  grower.finish();
  for (Block& block : blocks) {
    grower.settle(rows_of(block));
    for (std::size_t i = 0; i < block.rows.size(); ++i)
      CHECK(block.nodes[i] == expected.node_of_row[block.rows[i]]);
  }
  CHECK(grower.values() == expected.values);
  CHECK(at(grower.n_nodes()) == expected.tree.split_kind.size());
  // The statistics of leaves: what is below an inner node is added again.
  const auto n_classes = static_cast<std::size_t>(data.n_classes);
  std::vector<double> statistics = expected.tree.statistics;
  for (std::size_t node = 0; node < expected.tree.split_kind.size(); ++node)
    if (expected.tree.split_kind[node] != kLeaf)
      std::fill_n(statistics.begin() + static_cast<std::ptrdiff_t>(node * n_classes), n_classes, 0.0);
  const GrownTree tree = grower.tree(statistics, n_classes);
  CHECK(tree.column == expected.tree.column && tree.high == expected.tree.high);
  CHECK(tree.children == expected.tree.children && tree.score == expected.tree.score);
  CHECK(tree.category_code == expected.tree.category_code);
  CHECK(tree.category_child == expected.tree.category_child);
  CHECK(tree.missing_child == expected.tree.missing_child);
  CHECK(tree.unknown_child == expected.tree.unknown_child);
  CHECK(tree.statistics == expected.tree.statistics && tree.label == expected.tree.label);
}

void grow_and_check(Random& random, std::size_t n_rows) {
  const RandomTable table(random, n_rows);
  const RandomData made(random, n_rows, table.columns.size());
  const GradientData& data = made.data;
  const GradientSettings settings = random_settings(random);
  const auto max_bins = static_cast<std::int32_t>(random.coin() ? 255 : 2 + random.below(400));
  const BinnedTable binned(EncodedTable(table.columns, n_rows), max_bins);
  for (const auto& column : binned.columns())
    CHECK(!column.ordered || column.n_bins <= max_bins + 1);
  Stop stop;
  const GradientTree grown = grow_gradient_tree(binned, data, settings, stop);
  const GrownTree& tree = grown.tree;
  CHECK(grown.values.size() == tree.split_kind.size() * data.n_outputs);
  for (const double value : grown.values) CHECK(!std::isnan(value));
  const TreeView view(tree);
  check_tree(view, table.table);
  CHECK(!settings.max_leaf_nodes ||
        std::count(tree.split_kind.begin(), tree.split_kind.end(), kLeaf) <= settings.max_leaf_nodes);
  std::vector<std::int32_t> nodes(n_rows);
  Router(view, table.table).route(table.table, nodes);
  std::vector<bool> seen(n_rows, false);
  const std::vector<std::int32_t> lists[] = {made.rows, made.others};
  for (const auto& list : lists)
    for (const std::int32_t row : list) {
      const auto r = static_cast<std::size_t>(row);
      seen[r] = true;
      // By target statistics, rows to learn from may be elsewhere than new ones like them.
      const bool own_place =
          settings.category_order == CategoryOrder::kTargetStatistics && &list == &lists[0];
      CHECK(own_place || grown.node_of_row[r] == nodes[r]);
      CHECK(grown.node_of_row[r] >= 0);
    }
  for (std::size_t row = 0; row < n_rows; ++row) CHECK(seen[row] || grown.node_of_row[row] == -1);
  const auto largest = [](const std::vector<double>& values) {
    double most = 0.0;
    for (const double value : values) most = std::max(most, std::abs(value));
    return most;
  };
  if (largest(made.gradients) < 10.0) check_steps(grown, data, settings);
  check_blocks(random, binned, data, settings, grown);
}

bool refuses(const BinnedTable& table, const GradientData& data) {
  Stop stop;
  try {
    grow_gradient_tree(table, data, {}, stop);
  } catch (const std::invalid_argument&) {
    return true;
  }
  return false;
}

}  // namespace

TEST(gradient_trees_on_random_tables) {
  Random random(17);
  for (int i = 0; i < 3000; ++i) grow_and_check(random, 1 + random.below(60));
}

// Enough rows for several threads, and for bins of more than one value.
TEST(gradient_trees_on_larger_random_tables) {
  Random random(18);
  for (int i = 0; i < 30; ++i) grow_and_check(random, 2000 + random.below(100'000));
}

TEST(a_gradient_tree_stops_when_told) {
  Random random(19);
  std::vector<double> x, gradients, hessians(5000, 1.0);
  for (int i = 0; i < 5000; ++i) {
    x.push_back(random.normal());
    gradients.push_back(random.normal());
  }
  std::vector<std::int32_t> rows(5000), classes(5000, 0);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::int32_t>(i);
  GradientData data;
  data.gradients = gradients;
  data.hessians = hessians;
  data.classes = classes;
  data.n_classes = 1;
  data.rows = rows;
  const BinnedTable binned(EncodedTable({{{nullptr, x.data(), 0}, true}}, 5000), 255);
  Stop late(1e-9, {});
  const GradientTree cut = grow_gradient_tree(binned, data, {}, late);
  CHECK(!cut.tree.complete);
  CHECK(cut.tree.weighted_n_node_samples[0] == 5000.0);
  CHECK(std::find(cut.node_of_row.begin(), cut.node_of_row.end(), -1) == cut.node_of_row.end());
  Stop never;
  CHECK(grow_gradient_tree(binned, data, {}, never).tree.split_kind.size() > cut.tree.split_kind.size());
}

TEST(bad_gradients_are_refused) {
  const std::vector<double> x = {1.0, 2.0}, one = {1.0, 1.0}, less = {1.0, -1.0};
  const std::vector<double> infinite = {0.0, std::numeric_limits<double>::infinity()};
  const std::vector<std::int32_t> classes = {0, 1}, rows = {0, 1}, twice = {1, 1}, beyond = {0, 2};
  const BinnedTable table(EncodedTable({{{nullptr, x.data(), 0}, true}}, 2), 255);
  GradientData good;
  good.gradients = one;
  good.hessians = one;
  good.classes = classes;
  good.n_classes = 2;
  good.rows = rows;
  CHECK(!refuses(table, good));
  for (int what = 0; what < 8; ++what) {
    GradientData bad = good;
    if (what == 0) bad.gradients = infinite;
    if (what == 1) bad.hessians = infinite;
    if (what == 2) bad.hessians = less;
    if (what == 3) bad.rows = twice;
    if (what == 4) bad.rows = beyond;
    if (what == 5) bad.others = rows;
    if (what == 6) bad.n_classes = 1;
    if (what == 7) bad.columns = classes;
    CHECK(refuses(table, bad));
  }
}
