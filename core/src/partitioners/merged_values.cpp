#include "merged_values.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace mixedwood::partitioners {
namespace {

bool equal_shares(const CountTable& table, int i, int j, double tolerance) {
  const auto a = table.row(i), b = table.row(j);
  for (std::size_t l = 0; l < a.size(); ++l) {
    const double p = a[l] / table.row_total(i), q = b[l] / table.row_total(j);
    if (std::abs(p - q) > tolerance * std::max(p, q)) return false;
  }
  return true;
}

}  // namespace

std::vector<std::vector<int>> merged_values(const CountTable& table, double tolerance, Stop& stop) {
  const auto n = static_cast<std::size_t>(table.n_values());
  std::vector<int> sorted(n);
  std::iota(sorted.begin(), sorted.end(), 0);
  // The first share decides most comparisons: keep it beside the index.
  std::vector<double> first(n);
  for (std::size_t i = 0; i < n; ++i)
    first[i] = table(static_cast<int>(i), 0) / table.row_total(static_cast<int>(i));
  std::sort(sorted.begin(), sorted.end(), [&](int i, int j) {
    const double p = first[at(i)], q = first[at(j)];
    if (p != q) return p < q;
    if (stop.requested(table.n_classes())) throw Stopped{};
    const auto a = table.row(i), b = table.row(j);
    for (std::size_t l = 1; l < a.size(); ++l) {
      const double x = a[l] / table.row_total(i), y = b[l] / table.row_total(j);
      if (x != y) return x < y;
    }
    return i < j;
  });
  std::vector<std::vector<int>> groups;
  for (std::size_t t = 0; t < n; ++t) {
    const int i = sorted[t];
    // Compared with the first member: neighbours that are close one by one may drift far.
    if (!groups.empty() && equal_shares(table, groups.back().front(), i, tolerance))
      groups.back().push_back(i);
    else
      groups.push_back({i});
  }
  for (auto& group : groups) std::sort(group.begin(), group.end());
  std::sort(groups.begin(), groups.end(),
            [](const auto& a, const auto& b) { return a.front() < b.front(); });
  return groups;
}

CountTable merge_values(const CountTable& table, const std::vector<std::vector<int>>& groups) {
  const auto k = static_cast<std::size_t>(table.n_classes());
  std::vector<double> entries(groups.size() * k, 0.0);
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (int value : groups[g])
      for (std::size_t l = 0; l < k; ++l) entries[g * k + l] += table.row(value)[l];
  return {std::move(entries), static_cast<int>(groups.size()), table.n_classes()};
}

}  // namespace mixedwood::partitioners
