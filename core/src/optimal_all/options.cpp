#include "options.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "../hash.hpp"

namespace mixedwood::all_splits {

Options::Options(const AllSplitsProblem& problem) : n_classes(problem.n_classes) {
  const std::size_t n = problem.table->n_rows;
  if (problem.classes.size() != n) throw std::invalid_argument("every row needs one class");
  if (!problem.weights.empty() && problem.weights.size() != n)
    throw std::invalid_argument("every row needs one weight");
  for (std::size_t row = 0; row < n; ++row) {
    const std::int32_t c = problem.classes[row];
    if (c < 0 || c >= n_classes) throw std::invalid_argument("a class is not below n_classes");
    const std::int64_t w = problem.weights.empty() ? 1 : problem.weights[row];
    if (w < 0) throw std::invalid_argument("a weight is below 0");
    if (w >= kNone || total_weight + w >= kNone / 4)
      throw std::invalid_argument("the weights are too large: scale them to a sum below 2^58");
    if (w == 0) continue;
    rows.push_back(static_cast<std::int32_t>(row));
    classes.push_back(c);
    weights.push_back(w);
    total_weight += w;
    unit_weights = unit_weights && w == 1;
  }
  for (std::size_t i = 0; i < problem.table->columns.size(); ++i)
    add_column(problem.table->columns[i], static_cast<std::int32_t>(i));
  find_unavoidable();
}

// Ranks are of the rows that are kept: a value that no row has makes no test.
void Options::add_column(const EncodedColumn& column, std::int32_t index) {
  const auto n_values = static_cast<std::size_t>(column.n_values());
  bool missing = false;
  std::vector<std::uint8_t> seen(n_values, 0);
  std::size_t n_seen = 0;
  for (const std::int32_t row : rows) {
    const std::int32_t code = column.codes()[row];
    if (code < 0)
      missing = true;
    else if (!seen[static_cast<std::size_t>(code)])
      seen[static_cast<std::size_t>(code)] = 1, ++n_seen;
  }
  if (n_seen + (missing ? 1 : 0) < 2) return;  // constant
  const auto make = [&](Option::Missing how) {
    Option option;
    option.column = index;
    option.nominal = !column.ordered();
    option.missing = how;
    const std::int32_t first = how == Option::Missing::kBelow ? 1 : 0;
    option.n_ranks = static_cast<std::int32_t>(n_values) + (missing ? 1 : 0);
    const auto last = static_cast<std::int32_t>(n_values);
    option.rank.reserve(rows.size());
    for (const std::int32_t row : rows) {
      const std::int32_t code = column.codes()[row];
      option.rank.push_back(code >= 0 ? code + first : first == 1 ? 0 : last);
    }
    list.push_back(std::move(option));
  };
  if (!column.ordered()) return make(missing ? Option::Missing::kValue : Option::Missing::kAbsent);
  if (!missing) return make(Option::Missing::kAbsent);
  make(Option::Missing::kBelow);
  if (n_seen > 1) make(Option::Missing::kAbove);
}

void Options::find_unavoidable() {
  const std::size_t n = n_rows();
  unavoidable.assign(n, 0);
  // Rows by a hash of their values, then by the values: equal rows become neighbours.
  std::vector<std::uint64_t> hash(n, 0);
  for (const Option& option : list)
    for (std::size_t i = 0; i < n; ++i)
      hash[i] = hash_with(hash[i], static_cast<std::uint64_t>(option.rank[i]));
  std::vector<std::int32_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  const auto compare = [&](std::int32_t a, std::int32_t b) {
    const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
    if (hash[i] != hash[j]) return hash[i] < hash[j] ? -1 : 1;
    for (const Option& option : list)
      if (option.rank[i] != option.rank[j]) return option.rank[i] < option.rank[j] ? -1 : 1;
    return 0;
  };
  std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    const int way = compare(a, b);
    return way != 0 ? way < 0 : a < b;
  });
  std::vector<std::int64_t> count(static_cast<std::size_t>(n_classes), 0);
  for (std::size_t begin = 0, end = 0; begin < n; begin = end) {
    while (end < n && compare(order[begin], order[end]) == 0) ++end;
    if (end - begin < 2) continue;
    std::fill(count.begin(), count.end(), 0);
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = static_cast<std::size_t>(order[i]);
      count[static_cast<std::size_t>(classes[row])] += weights[row];
    }
    const auto heaviest = std::max_element(count.begin(), count.end()) - count.begin();
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = static_cast<std::size_t>(order[i]);
      if (classes[row] != heaviest) unavoidable[row] = weights[row];
    }
  }
}

}  // namespace mixedwood::all_splits
