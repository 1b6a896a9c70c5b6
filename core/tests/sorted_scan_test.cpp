// One ordered column left: the cut found block by block is that of all cuts, for little work.
#include "grow/sorted_scan.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "check.hpp"
#include "grow/running_impurity.hpp"
#include "grow/rows.hpp"
#include "mixedwood/random.hpp"

using namespace mixedwood;

namespace {

struct OneColumn {
  std::vector<double> numbers;
  std::vector<std::int32_t> classes;
  std::int32_t n_classes = 2;

  EncodedColumn column() const {
    return EncodedColumn({{nullptr, numbers.data(), 0}, true}, numbers.size());
  }
  GrowData data() const {
    GrowData data;
    data.classes = classes;
    data.n_classes = n_classes;
    return data;
  }
};

std::vector<double> count(const NodeRows& node, std::int32_t n_classes) {
  std::vector<double> counts(static_cast<std::size_t>(n_classes), 0.0);
  for (const std::int32_t cls : node.classes) counts[at(cls)] += 1.0;
  return counts;
}

// All cuts, one by one.
template <typename Running>
Cut slow_cut(const NodeRows& node, const EncodedColumn& column, std::span<const double> all,
             double min_leaf) {
  Cut best;
  std::vector<double> left(all.size(), 0.0);
  const auto n = static_cast<double>(node.size());
  for (std::size_t i = 0; i + 1 < node.size(); ++i) {
    left[at(node.classes[i])] += 1.0;
    const auto rows_left = static_cast<double>(i + 1);
    const std::int32_t here = column.codes()[node.rows[i]], next = column.codes()[node.rows[i + 1]];
    if (here == next || rows_left < min_leaf || n - rows_left < min_leaf) continue;
    const double value = Running::of(left, all);
    if (!(value > best.purity + kEqual * n)) continue;
    best.purity = value;
    best.last_left = here;
    best.first_right = next;
  }
  return best;
}

}  // namespace

TEST(cuts_by_blocks_are_those_of_all_cuts) {
  Random random(7);
  for (int trial = 0; trial < 300; ++trial) {
    OneColumn table;
    table.n_classes = static_cast<std::int32_t>(2 + random.below(6));
    const std::size_t n = 256 + random.below(1500);
    const std::uint64_t n_values = random.coin() ? 2 * n : 2 + random.below(80);
    const double noise = random.coin() ? 0.05 : 1.0;
    for (std::size_t i = 0; i < n; ++i) {
      const auto x = static_cast<double>(random.below(n_values));
      const double place = x / static_cast<double>(n_values) * table.n_classes;
      const auto cls = random.uniform() < noise
                           ? random.below(static_cast<std::uint64_t>(table.n_classes))
                           : static_cast<std::uint64_t>(place);
      table.numbers.push_back(x);
      table.classes.push_back(static_cast<std::int32_t>(cls));
    }
    const EncodedColumn column = table.column();
    const GrowData data = table.data();
    RowStore rows(data, false);
    RowSet node = rows.starts()[0];
    CHECK(rows.put_in_order(node, column, static_cast<std::size_t>(table.n_classes)));
    const double min_leaf = random.coin() ? 1.0 : 30.0;
    SortedScan scan(min_leaf);
    Stop stop;
    // Nodes below, too, whose ends are anywhere in a block.
    for (int part = 0; part < 5 && node.end - node.begin > 2; ++part) {
      const NodeRows view = rows.view(node);
      const std::vector<double> counts = count(view, table.n_classes);
      BlockWalk walk(*view.blocks, view.begin, view.classes, counts.size());
      walk.finish();
      CHECK(std::equal(counts.begin(), counts.end(), walk.counts().begin()));
      for (const ImpurityKind kind : {ImpurityKind::kGini, ImpurityKind::kEntropy}) {
        const Cut fast = scan.best(view, column, counts, kind, stop);
        const Cut slow = kind == ImpurityKind::kGini
                             ? slow_cut<RunningGini>(view, column, counts, min_leaf)
                             : slow_cut<RunningEntropy>(view, column, counts, min_leaf);
        CHECK(fast.last_left == slow.last_left && fast.first_right == slow.first_right);
        CHECK(fast.purity == slow.purity);
      }
      node.begin += random.below((node.end - node.begin) / 2);
      node.end -= random.below((node.end - node.begin) / 2);
    }
  }
}

// A column without any signal, whose classes take turns: every node loses one row, so that looking
// at each row of each node would cost n * n / 2.
TEST(peeling_rows_off_one_by_one_costs_little) {
  for (const std::int32_t n_classes : {2, 3}) {
    const std::size_t n = 8192;
    OneColumn table;
    table.n_classes = n_classes;
    for (std::size_t i = 0; i < n; ++i) {
      table.numbers.push_back(static_cast<double>(i));
      table.classes.push_back(static_cast<std::int32_t>(i) % n_classes);
    }
    const EncodedColumn column = table.column();
    const GrowData data = table.data();
    RowStore rows(data, false);
    RowSet node = rows.starts()[0];
    CHECK(rows.put_in_order(node, column, static_cast<std::size_t>(n_classes)));
    SortedScan scan(1.0);
    Stop stop;
    while (node.end - node.begin > 64) {
      const NodeRows view = rows.view(node);
      const Cut cut =
          scan.best(view, column, count(view, n_classes), ImpurityKind::kEntropy, stop);
      CHECK(cut.found());
      if (!cut.found()) break;
      const auto parts = rows.cut_at(node, column.codes(), cut.last_left);
      const auto size = [&](int p) { return parts[p].end - parts[p].begin; };
      node = parts[size(0) > size(1) ? 0 : 1];
    }
    // A node has 4,096 cuts in the mean.
    CHECK(scan.work() < 300 * static_cast<std::int64_t>(n));
  }
}

TEST(rows_without_a_value_are_not_put_in_order) {
  OneColumn table;
  for (int i = 0; i < 1000; ++i) {
    table.numbers.push_back(i == 500 ? std::nan("") : i);
    table.classes.push_back(i % 2);
  }
  const EncodedColumn column = table.column();
  const GrowData data = table.data();
  RowStore rows(data, false);
  RowSet node = rows.starts()[0];
  CHECK(!rows.put_in_order(node, column, 2) && !node.in_order);
}
