// One group per value, as in ID3 and C4.5. There is nothing to search.
#include "mixedwood/registry.hpp"

namespace mixedwood::partitioners {
namespace {

class Multiway final : public Partitioner {
 public:
  Grouping search(const SplitProblem& /*problem*/) const override {
    Grouping every_value_alone;
    every_value_alone.score = 0.0;  // the caller scores groups
    return every_value_alone;
  }
};

}  // namespace

std::unique_ptr<Partitioner> make_multiway(const Options& /*options*/) {
  return std::make_unique<Multiway>();
}

}  // namespace mixedwood::partitioners
