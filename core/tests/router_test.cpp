#include "mixedwood/router.hpp"

#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "check.hpp"
#include "mixedwood/random.hpp"

using namespace mixedwood;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// A random tree over three columns of codes and two of numbers.
struct RandomTree : GrownTree {
  std::vector<std::int32_t> n_values;

  // A plain tree has only intervals and two groups of values.
  RandomTree(Random& random, std::int32_t widest, int n_tests, bool fractional, bool plain = false)
      : n_values{5, 40, widest, 0, 0} {
    const auto below = [&](std::size_t n) { return static_cast<std::int32_t>(random.below(n)); };
    std::vector<char> has_test{1};
    for (int t = 1; t < n_tests; ++t) has_test.push_back(random.below(3) > 0);
    // Nodes in the order of their numbers; each new child waits for its turn.
    std::int32_t n_nodes = 1;
    for (std::int32_t node = 0; node < n_nodes; ++node) {
      const auto i = static_cast<std::size_t>(node);
      const bool inner = i < has_test.size() && has_test[i];
      const std::int32_t test = inner ? 1 + below(plain ? 2 : 4) : kLeaf;
      const std::int32_t n_children = !inner ? 0 : test == kMultiway ? 1 + below(7) : 2;
      split_kind.push_back(static_cast<std::uint8_t>(test));
      const bool nominal = test == kSubset || test == kMultiway;
      column.push_back(nominal ? below(3) : test == kInterval ? below(5) : -1);
      const double a = random.coin() ? -kInf : static_cast<double>(below(50));
      low.push_back(a);
      high.push_back(random.below(4) == 0 ? kInf : static_cast<double>(below(50)));
      intercept.push_back(random.normal());
      weighted_n_node_samples.push_back(static_cast<double>(below(4)));
      const auto side = [&] { return below(static_cast<std::size_t>(n_children) + 2) - 2; };
      const auto end = [&] { return inner ? std::max(side(), fractional ? -2 : -1) : -1; };
      missing_child.push_back(end());
      unknown_child.push_back(end());
      if (nominal) {
        const bool few = random.coin();
        const std::int32_t n = n_values[at(column.back())];
        for (std::int32_t code = 0; code < n; ++code) {
          if (few && random.below(static_cast<std::size_t>(n)) > 4) continue;
          category_code.push_back(code);
          category_child.push_back(below(static_cast<std::size_t>(n_children)));
        }
      }
      if (test == kLinear) add_terms(random);
      for (std::int32_t c = 0; c < n_children; ++c) children.push_back(n_nodes++);
      label.push_back(0);
      score.push_back(0.0);
      end_lists();
    }
  }
  void add_terms(Random& random) {
    std::set<std::pair<std::int32_t, std::int32_t>> asked;
    for (std::size_t t = random.below(6); t > 0; --t) {
      const auto c = static_cast<std::int32_t>(random.below(5));
      const auto n = static_cast<std::size_t>(n_values[at(c)]);
      const std::int32_t value =
          n == 0 || random.below(3) == 0 ? kNumberTerm : static_cast<std::int32_t>(random.below(n));
      if (!asked.emplace(c, value).second) continue;
      term_column.push_back(c);
      term_category.push_back(value);
      term_weight.push_back(random.below(10) == 0 ? 0.0 : random.normal());
      term_fill.push_back(value != kNumberTerm || random.coin() ? kNaN : random.normal());
    }
  }
};

struct RandomRows {
  std::vector<std::vector<std::int32_t>> codes;
  std::vector<std::vector<double>> numbers;
  TableView table;

  RandomRows(Random& random, const RandomTree& tree, std::size_t n_rows) {
    table.n_rows = n_rows;
    for (const std::int32_t n : tree.n_values) {
      if (n > 0) {
        auto& column = codes.emplace_back(n_rows + 1);  // never empty: the address tells the kind
        for (auto& code : column)
          code = static_cast<std::int32_t>(random.below(static_cast<std::size_t>(n) + 3)) - 3;
        table.columns.push_back({column.data(), nullptr, n});
      } else {
        auto& column = numbers.emplace_back(n_rows + 1);
        const double odd[] = {kNaN, kInf, -kInf, 7.0};
        for (auto& x : column)
          x = random.below(5) == 0 ? odd[random.below(4)] : 50.0 * random.uniform();
        table.columns.push_back({nullptr, column.data(), 0});
      }
    }
  }
};

// Straight from the definition of each split; -3 below is unknown like -2.
std::int32_t position(const TreeView& tree, const TableView& table, std::size_t i,
                      std::size_t row) {
  if (tree.split_kind[i] == kLinear) {
    double sum = tree.intercept[i];
    for (auto t = tree.term_offset[i]; t < tree.term_offset[i + 1]; ++t) {
      const auto term = static_cast<std::size_t>(t);
      const ColumnView& column = table.columns[at(tree.term_column[term])];
      if (tree.term_category[term] != kNumberTerm) {
        if (column.codes[row] == tree.term_category[term]) sum += tree.term_weight[term];
        continue;
      }
      double x = column.codes ? column.codes[row] : column.numbers[row];
      if (column.codes ? x < 0.0 : std::isnan(x)) x = tree.term_fill[term];
      if (std::isnan(x)) return tree.missing_child[i];
      if (tree.term_weight[term] != 0.0) sum += tree.term_weight[term] * x;
    }
    return std::isnan(sum) ? tree.missing_child[i] : sum > 0.0 ? 0 : 1;
  }
  const ColumnView& column = table.columns[at(tree.column[i])];
  const double x = column.codes ? column.codes[row] : column.numbers[row];
  if (column.codes ? x == -1.0 : std::isnan(x)) return tree.missing_child[i];
  if (column.codes && x < 0.0) return tree.unknown_child[i];
  if (tree.split_kind[i] == kInterval) return tree.low[i] < x && x <= tree.high[i] ? 0 : 1;
  for (auto v = tree.category_offset[i]; v < tree.category_offset[i + 1]; ++v)
    if (tree.category_code[at(v)] == column.codes[row])
      return tree.category_child[at(v)];
  return tree.unknown_child[i];
}

void add_shares(const TreeView& tree, const TableView& table, std::int32_t node, std::size_t row,
                double share, std::map<std::int32_t, double>& shares) {
  const auto i = static_cast<std::size_t>(node);
  const std::int32_t to = tree.split_kind[i] == kLeaf ? kStop : position(tree, table, i, row);
  if (to >= 0) return add_shares(tree, table, tree.child(node, to), row, share, shares);
  double reached = 0.0;
  for (std::int32_t c = 0; to == kFractional && c < tree.n_children(node); ++c)
    reached += tree.weighted_n_node_samples[at(tree.child(node, c))];
  if (!(reached > 0.0)) {
    shares[node] += share;
    return;
  }
  for (std::int32_t c = 0; c < tree.n_children(node); ++c) {
    const std::int32_t child = tree.child(node, c);
    const double part = tree.weighted_n_node_samples[at(child)] / reached;
    if (part > 0.0) add_shares(tree, table, child, row, share * part, shares);
  }
}

void check_routing(const RandomTree& made, const RandomRows& rows, bool fractional) {
  const TreeView tree(made);
  const Router router(tree, rows.table);
  const std::size_t n_nodes = tree.split_kind.size(), n_rows = rows.table.n_rows;
  std::vector<double> number(n_nodes);  // of each node, as its prediction
  std::iota(number.begin(), number.end(), 1.0);
  std::vector<double> found(n_rows);
  router.distribute(rows.table, number, 1, found);
  bool whole = true;
  std::vector<std::int32_t> answers(n_rows);
  for (std::size_t row = 0; row < n_rows; ++row) {
    std::map<std::int32_t, double> shares;
    add_shares(tree, rows.table, 0, row, 1.0, shares);
    double expected = 0.0;
    for (const auto& [node, share] : shares)
      expected += share * number[at(node)];
    CHECK_NEAR(found[row], expected, 1e-9);
    whole = whole && shares.size() == 1;
    answers[row] = shares.begin()->first;
  }
  if (fractional) return;
  CHECK(whole);
  std::vector<std::int32_t> routed(n_rows);
  router.route(rows.table, routed);
  CHECK(routed == answers);
}

}  // namespace

TEST(routing_agrees_with_the_definition_of_each_test) {
  Random random(7);
  for (int round = 0; round < 600; ++round) {
    const bool fractional = round % 2 == 1, plain = round >= 300;
    const RandomTree made(random, round % 3 == 0 ? 2000 : 90, 1 + round % 40, fractional, plain);
    check_routing(made, RandomRows(random, made, round % 10 == 0 ? 600 : random.below(20)),
                  fractional);
  }
}

// More rows than are predicted at a time.
TEST(many_rows_are_routed_like_few) {
  Random random(9);
  for (const bool plain : {false, true}) {
    const RandomTree made(random, 90, 30, false, plain);
    check_routing(made, RandomRows(random, made, 70'000), false);
  }
}

TEST(a_code_beyond_its_column_is_refused) {
  Random random(8);
  for (int round = 0; round < 100; ++round) {
    const RandomTree made(random, 90, 20, false);
    RandomRows rows(random, made, 50);
    const Router router(made, rows.table);
    for (auto& column : rows.codes)
      for (auto& code : column)
        code = random.coin() ? 90 : std::numeric_limits<std::int32_t>::max();
    std::vector<std::int32_t> routed(50);
    const std::string said = check::message_of([&] { router.route(rows.table, routed); });
    CHECK(said.empty() || said.find("beyond") != std::string::npos);
  }
}

namespace {

// One linear test over a nominal column, an ordinal one and two of numbers, asked of rows.
struct Sums {
  std::vector<std::int32_t> column, value;
  std::vector<double> weight, fill;
  double intercept = 0.0;
  std::vector<std::int32_t> colour{0, 1, -1, -2, 2}, size{0, 3, -1, -2, 1};
  std::vector<double> age{1.0, kNaN, kInf, 2.0, -kInf}, pay{0.5, 4.0, kInf, kNaN, 1e308};
  TableView table;

  Sums() {
    table.columns = {{colour.data(), nullptr, 3}, {size.data(), nullptr, 4},
                     {nullptr, age.data(), 0}, {nullptr, pay.data(), 0}};
    table.n_rows = 5;
  }
  Sums& add(std::int32_t c, std::int32_t v, double w, double f = kNaN) {
    column.push_back(c);
    value.push_back(v);
    weight.push_back(w);
    fill.push_back(f);
    return *this;
  }
  std::vector<double> of(const std::vector<std::int32_t>& rows) const {
    LinearSplits tests;
    tests.add({{}, {}, {}, {}, 99.0}, table);  // another one before it
    const std::uint32_t number = tests.add({column, value, weight, fill, intercept}, table);
    CHECK(number == 1);
    std::vector<double> sums(rows.size());
    tests.sums(number, table, rows, sums);
    return sums;
  }
};

}  // namespace

TEST(a_sum_adds_numbers_places_and_values) {
  Sums sums;
  sums.intercept = 0.25;
  sums.add(0, 2, 8.0).add(2, kNumberTerm, 2.0, 10.0).add(0, 0, 16.0).add(1, kNumberTerm, 64.0, 0.5);
  sums.add(1, 3, 1024.0);
  const auto found = sums.of({0, 1, 3, 3, 0});  // rows in any order, and twice
  CHECK(found == (std::vector<double>{18.25, 1236.25, 36.25, 36.25, 18.25}));
}

TEST(a_sum_without_a_number_to_fill_in_has_no_answer) {
  Sums sums;
  sums.add(2, kNumberTerm, 1.0).add(1, kNumberTerm, 1.0);
  const auto found = sums.of({0, 1, 2, 3, 4});
  CHECK(found[0] == 1.0);
  CHECK(std::isnan(found[1]) && std::isnan(found[2]) && std::isnan(found[3]));
  CHECK(found[4] == -kInf);
}

TEST(infinite_numbers_decide_alone_unless_they_pull_to_opposite_sides) {
  Sums sums;
  sums.add(2, kNumberTerm, 1.0, 0.0).add(3, kNumberTerm, 1.0, 0.0);
  CHECK(sums.of({2, 4}) == (std::vector<double>{kInf, -kInf}));
  sums.weight[1] = -1.0;
  CHECK(std::isnan(sums.of({2})[0]));
  sums.weight[0] = 0.0;
  CHECK(sums.of({2, 4}) == (std::vector<double>{-kInf, -1e308}));
}

TEST(a_sum_that_overflows_on_the_way_has_the_sign_that_it_should_have) {
  Sums sums;
  sums.intercept = 1e308;
  sums.add(3, kNumberTerm, 8.0, 0.0).add(0, 2, -1e308).add(1, 1, 1e308);
  CHECK(sums.of({4}) == (std::vector<double>{kInf}));
  sums.weight[0] = -8.0;
  CHECK(sums.of({4}) == (std::vector<double>{-kInf}));
  // Of two products that overflow, and almost cancel.
  sums.add(2, kNumberTerm, 0.0, 0.0);
  sums.age[4] = 1e308;
  sums.weight = {-8.0, -1e308, 1e308, 8.5};
  const double sum = sums.of({4})[0];
  CHECK(sum > 1.49e308 && sum < 1.51e308);
}

TEST(a_code_beyond_its_column_is_refused_by_sums_too) {
  Sums sums;
  sums.add(0, 1, 1.0).add(1, kNumberTerm, 1.0, 0.0);
  sums.colour[0] = 3;
  sums.size[1] = 4;
  for (const std::int32_t row : {0, 1})
    CHECK(check::message_of([&] { sums.of({row}); }).find("beyond") != std::string::npos);
}

TEST(votes_of_answers_that_are_no_numbers_stay_in_their_row) {
  Random random(11);
  for (int k = 0; k < 20; ++k) {
    const RandomTree tree(random, 9, 6, true);
    const RandomRows rows(random, tree, 30);
    const TreeView view(tree);
    const Router router(view, rows.table);
    const std::vector<double> answers(tree.split_kind.size() * 2, kNaN);
    const std::vector<std::int32_t> labels(tree.split_kind.size(), 0);
    std::vector<double> out(30 * 2, 0.0);  // a vote beyond the last row is what sanitizers see
    const Router::Member member{&router, {answers, 2, labels, 1.0}, 0};
    Router::add_up({&member, 1}, rows.table, 0, 30, out.data(), 2);
    for (std::size_t row = 0; row < 30; ++row) CHECK(out[2 * row] == 1.0 && out[2 * row + 1] == 0.0);
  }
}
