// The second most frequent value must weigh enough. Weights only shrink on the way down, so a
// column that is refused here is refused in all descendants.
#include <algorithm>

#include "acceptors.hpp"

namespace mixedwood {
namespace {

class SecondValue final : public Acceptor {
 public:
  explicit SecondValue(double least_weight) : least_weight_(least_weight) {}
  bool accepts(const Contingency& table) const override {
    double first = 0.0, second = 0.0;
    for (double weight : table.row_totals()) {
      second = std::max(second, std::min(first, weight));
      first = std::max(first, weight);
    }
    return second >= least_weight_;
  }

 private:
  double least_weight_;
};

}  // namespace

std::unique_ptr<Acceptor> make_second_value_acceptor(double least_weight) {
  return std::make_unique<SecondValue>(least_weight);
}

}  // namespace mixedwood
