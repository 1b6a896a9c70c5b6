#include "write_tree.hpp"

#include <limits>

namespace mixedwood::all_splits {
namespace {

class Writer {
 public:
  Writer(const Options& options, const EncodedTable& table, std::int64_t leaf_cost,
         std::int64_t min_leaf, AllSplitsResult& result)
      : options_(options), table_(table), leaf_cost_(leaf_cost), stumps_(options, min_leaf),
        result_(result), side_(options.n_rows(), 0) {
    result_.value_offset.push_back(0);
  }

  std::int32_t write(const Rows& rows, const Plan& plan) {
    const auto node = static_cast<std::int32_t>(result_.column.size());
    result_.column.push_back(-1);
    result_.yes.push_back(-1);
    result_.no.push_back(-1);
    result_.label.push_back(rows.label());
    result_.low.push_back(0.0);
    result_.high.push_back(0.0);
    result_.missing_yes.push_back(0);
    if (plan.test.option >= 0) {
      mark(options_, rows, plan.test, side_);
      Rows left, right;
      divide(options_, rows, side_, left, right);
      const bool left_is_yes = write_test(static_cast<std::size_t>(node), rows, plan.test, left);
      result_.value_offset.push_back(static_cast<std::int32_t>(result_.value_code.size()));
      const Rows& yes = left_is_yes ? left : right;
      const Rows& no = left_is_yes ? right : left;
      const std::int32_t to_yes = write(yes, side_plan(plan, yes, left_is_yes));
      const std::int32_t to_no = write(no, side_plan(plan, no, !left_is_yes));
      result_.yes[static_cast<std::size_t>(node)] = to_yes;
      result_.no[static_cast<std::size_t>(node)] = to_no;
    } else {
      result_.value_offset.push_back(static_cast<std::int32_t>(result_.value_code.size()));
    }
    return node;
  }

 private:
  Plan side_plan(const Plan& plan, const Rows& rows, bool is_left) {
    if (!plan.deferred) return is_left ? *plan.left : *plan.right;
    Plan side;
    if (!(is_left ? plan.left_stump : plan.right_stump)) return side;
    Stump stump = stumps_.best(rows);
    if (stump.errors + leaf_cost_ >= rows.errors()) return side;
    side.test = std::move(stump.test);
    side.deferred = true;
    return side;
  }

  // Is it the left rows that answer yes? They do, but for "is known" where missing is below all.
  bool write_test(std::size_t node, const Rows& rows, const Test& test, const Rows& left) {
    const Option& option = options_.list[static_cast<std::size_t>(test.option)];
    const EncodedColumn& column = table_.columns[static_cast<std::size_t>(option.column)];
    result_.column[node] = option.column;
    const auto sorted = rows.by(static_cast<std::size_t>(test.option));
    const auto rank = [&](std::int32_t id) { return option.rank[static_cast<std::size_t>(id)]; };
    const bool left_is_heavier = 2 * left.weight >= rows.weight;
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (option.nominal) {
      const std::int32_t missing =
          option.missing == Option::Missing::kValue ? option.n_ranks - 1 : -1;
      const bool here = missing >= 0 && rank(sorted.back()) == missing;
      bool yes = here ? false : left_is_heavier;
      for (const std::int32_t r : test.left) {
        if (r == missing)
          yes = true;
        else
          result_.value_code.push_back(r);
      }
      result_.missing_yes[node] = yes;
      return true;
    }
    // Ranks of the known values are codes, or one more where missing comes first.
    const std::int32_t first = option.missing == Option::Missing::kBelow ? 1 : 0;
    const std::int32_t missing = option.missing == Option::Missing::kBelow   ? 0
                                 : option.missing == Option::Missing::kAbove ? option.n_ranks - 1
                                                                             : -1;
    const std::int32_t below = rank(left.by(static_cast<std::size_t>(test.option)).back());
    const std::int32_t above = rank(sorted[static_cast<std::size_t>(left.n)]);
    result_.low[node] = -kInfinity;
    result_.high[node] = kInfinity;
    if (below == missing) return false;
    if (above == missing) return true;
    result_.high[node] = column.threshold(below - first, above - first);
    const bool here = missing >= 0 && (rank(sorted.front()) == missing || rank(sorted.back()) == missing);
    result_.missing_yes[node] = here ? first == 1 : left_is_heavier;
    return true;
  }

  const Options& options_;
  const EncodedTable& table_;
  std::int64_t leaf_cost_;
  StumpSearch stumps_;
  AllSplitsResult& result_;
  std::vector<std::uint8_t> side_;
};

}  // namespace

void write_tree(const Options& options, const EncodedTable& table, const Rows& rows,
                const Plan& plan, std::int64_t leaf_cost, std::int64_t min_leaf,
                AllSplitsResult& result) {
  Writer(options, table, leaf_cost, min_leaf, result).write(rows, plan);
}

}  // namespace mixedwood::all_splits
