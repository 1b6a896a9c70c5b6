// The best tree so far, and when each better one was found.
#pragma once

#include <utility>
#include <vector>

#include "mixedwood/optimal.hpp"

namespace mixedwood::optimal {

template <typename Tree>
class Incumbent {
 public:
  bool offer(Tree tree, Cost cost) {
    if (cost >= cost_) return false;
    cost_ = cost;
    tree_ = std::move(tree);
    trace_.push_back({seconds(), cost});
    return true;
  }
  // One that costs the same and is preferred for another reason.
  void replace(Tree tree) { tree_ = std::move(tree); }

  Cost cost() const { return cost_; }
  const Tree& tree() const { return tree_; }

  // Of a search that ended: everything but the tree.
  SolverResult result(std::int64_t n_explored, const auto& cache) const {
    SolverResult result;
    result.n_explored = n_explored;
    result.n_cached = cache.size();
    result.cache_bytes = cache.bytes();
    result.trace = trace_;
    result.seconds = seconds();
    return result;
  }

 private:
  double seconds() const {
    return std::chrono::duration<double>(Stop::Clock::now() - start_).count();
  }

  Stop::Clock::time_point start_ = Stop::Clock::now();
  Tree tree_{};
  Cost cost_ = kInfinity;
  std::vector<SolverResult::Moment> trace_;
};

}  // namespace mixedwood::optimal
