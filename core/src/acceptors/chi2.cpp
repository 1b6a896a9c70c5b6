// Pearson's chi-square test of independence between the column and the classes: p < alpha, or
// the column is not used at this node. It may come back in a descendant.
#include <cmath>

#include "acceptors.hpp"
#include "mixedwood/significance.hpp"

namespace mixedwood {
namespace {

class Chi2 final : public Acceptor {
 public:
  explicit Chi2(double largest_p) : largest_log_p_(std::log(largest_p)) {}
  bool accepts(const Contingency& table) const override {
    if (table.n_classes() < 2) return true;
    return pearson_test(table).log_p < largest_log_p_;
  }

 private:
  double largest_log_p_;
};

}  // namespace

std::unique_ptr<Acceptor> make_chi2_acceptor(double largest_p) {
  return std::make_unique<Chi2>(largest_p);
}

}  // namespace mixedwood
