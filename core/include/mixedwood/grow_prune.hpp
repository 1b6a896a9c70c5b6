// Growing and pruning in turns (Gelfand, Ravishankar and Delp 1991).
//
// One half of the rows grows a tree, the other prunes it by its errors; then the halves change
// places, and the tree grows on below the leaves that are left, until a pruning leaves it as large
// as the pruning before. Splits that have survived a pruning are undone only when that is strictly
// better: then trees never shrink, and the procedure ends.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mixedwood/grow.hpp"
#include "mixedwood/regress.hpp"

namespace mixedwood {

struct GrowPruneSettings {
  std::int64_t max_iter = 20;
  bool refit_leaves = false;  // classes and labels of the nodes from all rows, at the end
};

struct GrowPruneResult {
  GrownTree tree;  // nodes have the classes and labels of the half that made them
  std::vector<std::int64_t> grown, pruned;  // leaves, of each iteration
  bool ended = false;  // false: a limit came first
};

// `halves`: for each row 0 or 1, the half that grows first or prunes first; others take no part.
// `data` has no rows and starts of its own. Rows must not be shared out (GrowSettings::fractional).
// Bad input: std::invalid_argument. Interrupted by the stop's hook: the result is not to be used.
GrowPruneResult grow_prune(const EncodedTable& table, const GrowData& data,
                           std::span<const std::int8_t> halves, const GrowSettings& settings,
                           const GrowPruneSettings& turns, Stop& stop);

// The same for numbers: pruned by the loss of `settings`, and refitted by it.
GrowPruneResult grow_prune_numbers(const EncodedTable& table, const RegressData& data,
                                   std::span<const std::int8_t> halves,
                                   const RegressSettings& settings, const GrowPruneSettings& turns,
                                   Stop& stop);

}  // namespace mixedwood
