// Which groupings are tried? A partitioner searches the groupings of the values of one table and
// returns the best one it met. Most are an order of the values plus one shared scan (scan.hpp).
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mixedwood/count_table.hpp"
#include "mixedwood/criterion.hpp"
#include "mixedwood/scorer.hpp"
#include "mixedwood/stop.hpp"

namespace mixedwood {

// One question: this table, this criterion. At least two values are present.
struct SplitProblem {
  const CountTable& table;
  const Criterion& criterion;
  std::span<const double> costs;  // class x class, empty for unit costs
  std::uint64_t seed;
  Stop& stop;
  bool ordered = false;  // the values have an order of their own: score by group weights
  mutable std::shared_ptr<const PairWeights> pairs = nullptr;  // see pair_weights()
  // Rows of each value, and how many a branch should have, for searches of many groups; empty: no
  // matter.
  std::span<const double> rows = {};
  double min_rows = 0.0;

  // Scores partitions of the table.
  std::unique_ptr<Scorer> scorer() const;
  // Score of any number of groups; the group of each value.
  double score(const std::vector<int>& groups, int n_groups) const;
  // The weights of the graph whose cuts the criterion scores: chi-square for pairwise criteria,
  // squared Gini (with costs) otherwise. Weighed once, since searches ask again and again.
  // Throws Stopped when asked to stop meanwhile.
  const std::shared_ptr<const PairWeights>& pair_weights() const;
};

struct Grouping {
  Sides sides;              // both empty: every value is a group of its own (multiway)
  std::vector<int> groups;  // of each value, for any number of groups
  double score = -std::numeric_limits<double>::infinity();
  bool exact = false;      // proven best for the criterion over all two-way partitions
  bool complete = true;    // false when the time limit cut the search short
  double bound = std::numeric_limits<double>::quiet_NaN();  // no partition scores more than this
  std::vector<int> superclass;  // classes of one side, where the order came from superclasses
  std::string partitioner;      // what really searched, where `auto` chose

  bool found() const { return score > -std::numeric_limits<double>::infinity(); }
  // Keeps the better of the two; the earlier one on ties.
  bool offer(double candidate, const Sides& candidate_sides) {
    if (!(candidate > score)) return false;
    score = candidate;
    sides = candidate_sides;
    return true;
  }
};

// What of a grouping is fitted to the classes, and so how well chance can do.
enum class Fitted {
  kSides,    // the side of every value
  kCut,      // where an order is cut that the classes have no part in
  kValue,    // which value stands alone
  kGroups,   // the group of every value, and how many there are
  kNothing,  // nothing: drawn at random, or one group per value
};

// What growing may rely on.
struct PartitionerTraits {
  Fitted fitted = Fitted::kSides;
  // Finds a best partition where that is cheap; then two classes need no search.
  bool exact = false;
  // Large tables may be searched by a approximate search in its place: all columns are compared by it, and
  // the winner is refined.
  bool allow_approximate = false;
  bool many_groups = false;  // more than two
};

class Partitioner {
 public:
  virtual ~Partitioner() = default;
  virtual Grouping search(const SplitProblem& problem) const = 0;

  PartitionerTraits traits;  // as the registry says
};

}  // namespace mixedwood
