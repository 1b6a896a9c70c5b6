// The linear tests of a node: planes by machines, cut and scored like any other candidate.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "candidate.hpp"
#include "distance_cut.hpp"
#include "left_out_parts.hpp"
#include "linear_rows.hpp"
#include "mixedwood/grow.hpp"
#include "mixedwood/linear_machine.hpp"
#include "sweep.hpp"

namespace mixedwood {

class LinearSearch {
 public:
  LinearSearch(const GrowSettings& settings, const std::vector<CodedColumn>& columns, Stop& stop)
      : settings_(settings),
        columns_(columns),
        sweep_(*settings.criterion, settings.min_samples_leaf, !settings.fractional()),
        left_out_sweep_(*settings.criterion, std::min(settings.min_samples_leaf, 1.0),
                        !settings.fractional()),
        stop_(stop),
        cut_(stop) {}

  // Candidates through the given columns, one for each machine and each way to group the classes.
  std::vector<Candidate> candidates(const NodeRows& node, const PresentClasses& present,
                                    std::span<const std::int32_t> which, std::uint64_t seed);

 private:
  struct Chosen {
    std::size_t setting = 0;
    bool validated = false;
    double score = 0.0;         // on rows that were left out
    std::vector<double> plane;  // a good start
  };

  std::vector<std::vector<std::int8_t>> questions(const NodeRows& node,
                                                  const PresentClasses& present) const;
  bool choose_setting(const LinearMachine& machine, const NodeRows& node,
                      const PresentClasses& present, std::span<const std::int8_t> signs,
                      Chosen& chosen);
  Candidate candidate(const LinearMachine& machine, const NodeRows& node,
                      const PresentClasses& present, std::span<const std::int8_t> signs);
  double weight_beside_left_out(const NodeRows& node, std::span<const double> left_out) const;
  bool add_up(const Candidate& test, const NodeRows& node, std::span<double> distances) const;

  const LinearSettings& settings() const { return *settings_.linear; }

  const GrowSettings& settings_;
  const std::vector<CodedColumn>& columns_;
  Sweep sweep_;
  Sweep left_out_sweep_;  // rows left out are few: how many a leaf must have is no matter of theirs
  Stop& stop_;
  DistanceCut cut_;
  LinearRows rows_;
  LeftOutParts parts_;
  std::vector<double> row_weights_, some_weights_;
  std::vector<std::int8_t> some_signs_;
};

}  // namespace mixedwood
