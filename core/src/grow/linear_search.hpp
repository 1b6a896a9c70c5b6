// The linear splits of a node: hyperplanes by models, cut and scored like any other candidate.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "candidate.hpp"
#include "distance_cut.hpp"
#include "validation_folds.hpp"
#include "linear_rows.hpp"
#include "mixedwood/grow.hpp"
#include "mixedwood/linear_model.hpp"
#include "threshold_scan.hpp"

namespace mixedwood {

class LinearSearch {
 public:
  LinearSearch(const GrowSettings& settings, const std::vector<EncodedColumn>& columns, Stop& stop)
      : settings_(settings),
        columns_(columns),
        scan_(*settings.criterion, settings.min_samples_leaf, !settings.fractional()),
        validation_scan_(*settings.criterion, std::min(settings.min_samples_leaf, 1.0),
                        !settings.fractional()),
        stop_(stop),
        cut_(stop) {}

  // Candidates through the given columns, one for each model and each way to group the classes.
  std::vector<Candidate> candidates(const NodeRows& node, const PresentClasses& present,
                                    std::span<const std::int32_t> which, std::uint64_t seed);

 private:
  struct Chosen {
    std::size_t setting = 0;
    bool validated = false;
    double score = 0.0;         // on rows that were left out
    std::vector<double> hyperplane;  // a good start
  };

  std::vector<std::vector<std::int8_t>> groupings(const NodeRows& node,
                                                  const PresentClasses& present) const;
  bool choose_setting(const LinearModel& model, const NodeRows& node,
                      const PresentClasses& present, std::span<const std::int8_t> signs,
                      Chosen& chosen);
  Candidate candidate(const LinearModel& model, const NodeRows& node,
                      const PresentClasses& present, std::span<const std::int8_t> signs);
  double weight_beside_left_out(const NodeRows& node, std::span<const double> left_out) const;
  bool place(const Candidate& split, const FittedModel& fitted, const NodeRows& node,
             std::span<double> distances) const;
  bool add_up(const Candidate& split, const NodeRows& node, std::span<double> distances) const;

  const LinearSettings& settings() const { return *settings_.linear; }

  const GrowSettings& settings_;
  const std::vector<EncodedColumn>& columns_;
  ThresholdScan scan_;
  ThresholdScan validation_scan_;  // rows left out are few: how many a leaf must have is no matter of theirs
  Stop& stop_;
  DistanceCut cut_;
  LinearRows rows_;
  NodeColumns node_columns_;
  ValidationFolds parts_;
  std::vector<double> row_weights_, some_weights_;
  std::vector<std::int8_t> some_signs_;
};

}  // namespace mixedwood
