// Class weights of groups of values.
#pragma once

#include <vector>

#include "mixedwood/count_table.hpp"
#include "mixedwood/criterion.hpp"

namespace mixedwood {

struct GroupCounts {
  std::vector<double> counts, weights;  // counts: group x class

  // The group of each value; -1: in none.
  GroupCounts(const CountTable& table, const std::vector<int>& groups, int n_groups)
      : counts(at(n_groups) * at(table.n_classes()), 0.0), weights(at(n_groups), 0.0) {
    const auto k = at(table.n_classes());
    for (int i = 0; i < table.n_values(); ++i) {
      if (groups[at(i)] < 0) continue;
      const auto to = at(groups[at(i)]);
      for (std::size_t l = 0; l < k; ++l) counts[to * k + l] += table.row(i)[l];
      weights[to] += table.row_total(i);
    }
  }

  GroupStatistics view(int n_classes) const { return {counts, weights, n_classes}; }
};

}  // namespace mixedwood
