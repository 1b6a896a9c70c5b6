// Which split a node gets: the candidates of its columns, and of hyperplanes, compared.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "adjusted_score.hpp"
#include "candidate.hpp"
#include "counting.hpp"
#include "linear_search.hpp"
#include "mixedwood/grow.hpp"
#include "rows.hpp"
#include "search.hpp"

namespace mixedwood {

// What a choice is made from.
struct AtNode {
  std::uint64_t seed;
  std::span<const double> counts;  // weight of each class
  const Histogram& histogram;
  std::vector<std::int32_t>& columns;  // that may differ here; then, that may still differ below
  Candidate split = {};                 // the best so far
};

// Facts about the rows of the whole tree that scores adjusted for chance need.
struct SampleFacts {
  std::size_t n_rows = 0;
  double copies = 1.0;
  bool whole_weights = true;
  double mean_weight = 1.0;
};

class ColumnSelector {
 public:
  // `all_rows`: of the whole tree. `counter` belongs to the grower, who keeps histograms.
  ColumnSelector(const GrowSettings& settings, const std::vector<EncodedColumn>& columns, Counter& counter,
          const RowStore& all_rows, Stop& stop)
      : ColumnSelector(settings, columns, counter,
                       SampleFacts{all_rows.size(), all_rows.copies(), all_rows.whole_weights(),
                                   all_rows.mean_weight()},
                       stop) {}
  ColumnSelector(const GrowSettings& settings, const std::vector<EncodedColumn>& columns,
                 Counter& counter, const SampleFacts& sample, Stop& stop)
      : settings_(settings),
        columns_(columns),
        counter_(counter),
        n_rows_(sample.n_rows),
        repeated_(sample.copies > 1.0),
        stop_(stop),
        search_(settings, stop),
        adjusted_(settings, sample.copies, sample.whole_weights, sample.mean_weight),
        linear_(settings, columns, stop) {}

  // The split in `node`, if any was found.
  void select(AtNode& node, const NodeRows& rows);

 private:
  const std::vector<std::int32_t>& columns_to_try(const AtNode& node);
  void select_by_score(AtNode& node, const NodeRows& rows);
  void take_if_better(AtNode& node, Candidate candidate) const;
  std::vector<Candidate> linear_candidates(const AtNode& node, const NodeRows& rows,
                                           std::span<const std::int32_t> columns);
  void select_by_average_gain(AtNode& node, const NodeRows& rows);
  double gain_of(const Candidate& split, const NodeRows& rows);
  Candidate candidate_of_parts(const AtNode& node, const NodeRows& rows, std::int32_t c,
                               bool& varies);
  Candidate candidate_of_table(const AtNode& node, const NodeRows& rows, std::size_t column,
                               bool& varies);
  template <typename Adjust>
  void rank(Candidate& found, const AtNode& node, Adjust adjust) const;
  bool is_noise(const Candidate& found, std::int32_t column) const;
  bool is_doubtful(const Candidate& found, std::int32_t column, const AtNode& node,
                   const NodeRows& rows) const;
  std::size_t most_values(const NodeRows& rows, std::size_t column) const;
  std::size_t count_values(const std::uint32_t* cells, std::size_t column,
                           std::size_t n_classes) const;
  std::span<const double> distinct_rows(const NodeRows& rows, std::size_t column);
  Candidate candidate_of_random_tree(const AtNode& node, const NodeRows& rows, std::int32_t c);
  bool better(const Candidate& candidate, const Candidate& best) const;
  void search_thoroughly(AtNode& node, const NodeRows& rows);
  void search_promising(AtNode& node, const NodeRows& rows);
  Candidate thorough_candidate(const AtNode& node, const NodeRows& rows, std::int32_t c);
  void select_by_c45(AtNode& node, const NodeRows& rows);
  void select_by_significance(AtNode& node, const NodeRows& rows);
  double log_p(const EncodedColumn& column) const;

  const GrowSettings& settings_;
  const std::vector<EncodedColumn>& columns_;
  Counter& counter_;
  std::size_t n_rows_;
  bool repeated_;
  Stop& stop_;
  Search search_;
  AdjustedScore adjusted_;
  LinearSearch linear_;
  ColumnCounts table_;
  PresentClasses present_;  // at the node
  std::vector<std::int32_t> drawn_, child_of_;
  struct Screened {
    std::int32_t column;
    double score, rank;
  };
  std::vector<Screened> screened_;  // columns of the node compared by the approximate search
  std::vector<double> distinct_by_code_, distinct_;
};

}  // namespace mixedwood
