// Candidates by the rules of C4.5 as WEKA's J48 has them, and of WEKA's RandomTree.
#pragma once

#include <cstdint>
#include <vector>

#include "candidate.hpp"
#include "mixedwood/encoded_table.hpp"
#include "column_counts.hpp"
#include "mixedwood/stop.hpp"

namespace mixedwood {

// Gain in `gain`, gain ratio in `score`. `n_classes` counts the declared classes. `group_values`:
// branches of a nominal column are groups of values (C4.5's option -s), not single values.
Candidate c45_candidate(const ColumnCounts& table, const EncodedColumn& column, double min_leaf,
                        std::int32_t n_classes, bool group_values, Stop& stop);

// The winner: the best ratio among columns whose gain is at least average. Columns with very many
// values (at least 0.3 of the training rows) do not count for the average.
std::int32_t c45_choice(const std::vector<Candidate>& candidates,
                        const std::vector<EncodedColumn>& columns, std::size_t n_training_rows);

// Information gain in `score`; rows without a value are shared out before it is computed.
Candidate random_tree_candidate(const ColumnCounts& table, const EncodedColumn& column);

}  // namespace mixedwood
