// Any number of groups, merged as C4.5 does while the gain ratio rises; the criterion scores them.
#include <algorithm>
#include <vector>

#include "mixedwood/registry.hpp"
#include "value_groups.hpp"

namespace mixedwood::partitioners {
namespace {

class C45Groups final : public Partitioner {
 public:
  Grouping search(const SplitProblem& problem) const override {
    const CountTable& table = problem.table;
    const auto k = static_cast<std::size_t>(table.n_classes());
    std::vector<double> entries;
    entries.reserve(static_cast<std::size_t>(table.n_values()) * k);
    for (int i = 0; i < table.n_values(); ++i)
      entries.insert(entries.end(), table.row(i).begin(), table.row(i).end());
    Grouping found;
    found.groups = group_by_gain_ratio({entries, k, 0.0, problem.rows, problem.min_rows},
                                       problem.stop, found.complete);
    const int last = *std::max_element(found.groups.begin(), found.groups.end());
    found.score = problem.score(found.groups, last + 1);
    return found;
  }
};

}  // namespace

std::unique_ptr<Partitioner> make_c45_groups(const Options& /*options*/) {
  return std::make_unique<C45Groups>();
}

}  // namespace mixedwood::partitioners
