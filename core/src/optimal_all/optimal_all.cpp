#include "mixedwood/optimal_all.hpp"

#include <algorithm>
#include <stdexcept>

#include "greedy.hpp"
#include "search.hpp"
#include "write_tree.hpp"

namespace mixedwood {

using namespace all_splits;

namespace {

void check(const AllSplitsSettings& settings) {
  if (settings.max_depth < 0) throw std::invalid_argument("max_depth is below 0");
  if (settings.max_nodes < 0) throw std::invalid_argument("max_nodes is below 0");
  if (settings.leaf_cost < 0) throw std::invalid_argument("leaf_cost is below 0");
  if (settings.leaf_cost > (std::int64_t{1} << 56))
    throw std::invalid_argument("leaf_cost is above 2^56: scale the costs down");
  if (settings.min_leaf < 1) throw std::invalid_argument("min_leaf is below 1");
}

// The best tree so far, its proof, and the searches that lead there.
class Solving {
 public:
  Solving(const Options& options, const AllSplitsSettings& settings, Watch& watch)
      : options_(options), settings_(settings), watch_(watch),
        search_(options, settings, watch), rows_(all_rows(options)) {
    // No tree has more leaves than rows.
    const std::int64_t tests =
        std::min<std::int64_t>(settings.max_nodes, std::max(rows_.n - 1, 0));
    budget_ = Budget::of(settings.max_depth, tests);
    best_ = search_.leaf(rows_);
    lower_ = rows_.unavoidable + settings.leaf_cost;
  }

  void run() {
    if (budget_.depth == 0 || best_->cost <= lower_) {
      lower_ = best_->cost;
      return;
    }
    if (settings_.memory_limit < 2 * table_bytes(options_)) return watch_.run_out_of_memory();
    if (budget_.depth > 1) keep(greedy(false));
    if (settings_.memory_limit < search_bytes(options_, budget_.depth))
      return watch_.run_out_of_memory();
    // Shallow trees first: a good bound for deeper ones, and the smaller tree among equals.
    for (int depth = 1; depth <= budget_.depth; ++depth) {
      if (best_->cost <= lower_ && best_->depth <= depth) break;
      if (depth == 3) keep(greedy(true));
      const std::int64_t wanted = best_->cost - (best_->depth > depth ? 0 : 1);
      const Found found = search_.solve(rows_, Budget::of(depth, budget_.tests),
                                        std::min(wanted, settings_.upper_bound));
      if (found.plan && (found.plan->cost < best_->cost || best_->depth > depth))
        best_ = found.plan;
      if (watch_.has_stopped() && depth < budget_.depth) return;
      if (depth == budget_.depth)
        lower_ = std::max(lower_, std::min(found.lower, best_->cost));
    }
    if (best_->cost <= lower_) lower_ = best_->cost;
  }

  AllSplitsResult result(const EncodedTable& table, const Stop& stop) const {
    AllSplitsResult result;
    const bool proven = lower_ >= best_->cost;
    result.lower_bound = lower_;
    result.n_explored = search_.n_explored();
    result.n_cached = search_.n_cached();
    const bool too_dear = best_->cost > settings_.upper_bound;
    if (lower_ > settings_.upper_bound)
      result.status = ProofStatus::kInfeasible;
    else if (proven)
      result.status = ProofStatus::kOptimal;
    else if (watch_.out_of_memory())
      result.status = ProofStatus::kMemoryLimit;
    else
      result.status = why_stopped(stop);
    if (result.status == ProofStatus::kInfeasible || too_dear) {
      result.value_offset.push_back(0);
      return result;
    }
    result.cost = best_->cost;
    write_tree(options_, table, rows_, *best_, settings_.leaf_cost, settings_.min_leaf, result);
    return result;
  }

 private:
  PlanPtr greedy(bool look_ahead) {
    return greedy_tree(search_, options_, settings_, rows_, budget_, look_ahead, watch_);
  }
  void keep(const PlanPtr& plan) {
    if (plan->cost < best_->cost) best_ = plan;
  }

  const Options& options_;
  const AllSplitsSettings& settings_;
  Watch& watch_;
  Search search_;
  Rows rows_;
  Budget budget_;
  PlanPtr best_;
  std::int64_t lower_ = 0;
};

}  // namespace

AllSplitsResult optimal_all_splits(const AllSplitsProblem& problem,
                                   const AllSplitsSettings& settings, Stop& stop) {
  const auto start = Stop::Clock::now();
  check(settings);
  if (problem.n_classes < 1) throw std::invalid_argument("there is no class");
  const Options options(problem);
  if (options.n_rows() == 0) throw std::invalid_argument("there is no row with weight");
  Watch watch(stop);
  Solving solving(options, settings, watch);
  solving.run();
  AllSplitsResult result = solving.result(*problem.table, stop);
  result.seconds = std::chrono::duration<double>(Stop::Clock::now() - start).count();
  return result;
}

}  // namespace mixedwood
