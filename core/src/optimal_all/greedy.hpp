// A tree to start from: one best split at a time, by the Gini index, over the same tests.
#pragma once

#include "search.hpp"

namespace mixedwood::all_splits {

// With `look_ahead` the last two levels are the best ones instead.
PlanPtr greedy_tree(Search& search, const Options& options, const AllSplitsSettings& settings,
                    const Rows& rows, Budget budget, bool look_ahead, Watch& watch);

}  // namespace mixedwood::all_splits
