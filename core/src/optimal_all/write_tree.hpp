// From a plan to the arrays of a tree, in the table's own terms.
#pragma once

#include "cache.hpp"
#include "stump.hpp"

namespace mixedwood::all_splits {

void write_tree(const Options& options, const EncodedTable& table, const Rows& rows,
                const Plan& plan, std::int64_t leaf_cost, std::int64_t min_leaf,
                AllSplitsResult& result);

}  // namespace mixedwood::all_splits
