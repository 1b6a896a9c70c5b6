// Pearson's chi-square test of independence between the column and the classes: p < alpha, or
// the column is not used at this node. It may come back in a descendant.
#include <cmath>

#include "mixedwood/registry.hpp"
#include "mixedwood/significance.hpp"

namespace mixedwood::screeners {
namespace {

class Chi2 final : public Screener {
 public:
  explicit Chi2(double alpha) : log_alpha_(std::log(alpha)) {}
  bool accepts(const CountTable& table) const override {
    if (table.n_classes() < 2) return true;
    return pearson_test(table).log_p < log_alpha_;
  }

 private:
  double log_alpha_;
};

}  // namespace

std::unique_ptr<Screener> make_chi2(const Options& options) {
  return std::make_unique<Chi2>(options.get<double>("alpha"));
}

}  // namespace mixedwood::screeners
