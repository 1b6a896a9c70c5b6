// The second most frequent value must weigh enough. Weights only shrink on the way down, so a
// column that is rejected here is rejected in all descendants.
#include <algorithm>

#include "mixedwood/registry.hpp"

namespace mixedwood::screeners {
namespace {

class SecondValue final : public Screener {
 public:
  explicit SecondValue(double min_weight) : min_weight_(min_weight) {}
  bool accepts(const CountTable& table) const override {
    double first = 0.0, second = 0.0;
    for (double weight : table.row_totals()) {
      second = std::max(second, std::min(first, weight));
      first = std::max(first, weight);
    }
    return second >= min_weight_;
  }

 private:
  double min_weight_;
};

}  // namespace

std::unique_ptr<Screener> make_second_value(const Options& options) {
  return std::make_unique<SecondValue>(options.get<double>("min_weight"));
}

}  // namespace mixedwood::screeners
