#include "mixedwood/scorer.hpp"

#include <algorithm>
#include <utility>

#include "pair_weights.hpp"
#include "whole_count_scorer.hpp"

namespace mixedwood {
namespace {

// Where weights differ so much that subtracting a heavy value wipes out the light ones, and there
// are few values, sides are added up anew for each score instead of updated.
constexpr int kFewValues = 64;
constexpr double kWideRange = 0x1.0p30;

bool needs_care(const CountTable& table) {
  const auto totals = table.row_totals();
  return table.n_values() <= kFewValues &&
         table.total() > kWideRange * *std::min_element(totals.begin(), totals.end());
}

// By the class weights of the two sides. A move costs O(classes).
class GroupScorer final : public Scorer {
 public:
  GroupScorer(const CountTable& table, const Criterion& criterion)
      : Scorer(table.n_values()),
        table_(table),
        criterion_(criterion),
        k_(static_cast<std::size_t>(table.n_classes())),
        before_(criterion.before(table.class_totals())),
        careful_(needs_care(table)),
        counts_(2 * k_) {
    assign_all(1);
  }

  double score() const override {
    return criterion_.score(GroupStatistics(counts_, weights_, static_cast<int>(k_)), before_);
  }

  double score_if_moved(int value) override {
    if (careful_) {
      add_up(value, trial_, trial_weights_);
    } else {
      trial_ = counts_;
      std::copy(weights_, weights_ + 2, trial_weights_);
      shift(value, sides()[at(value)], trial_, trial_weights_);
    }
    return criterion_.score(GroupStatistics(trial_, trial_weights_, static_cast<int>(k_)), before_);
  }

 protected:
  void rebuild() override { add_up(-1, counts_, weights_); }

  void apply_move(int value, std::uint8_t from) override {
    if (careful_)
      add_up(value, counts_, weights_);
    else
      shift(value, from, counts_, weights_);
  }

 private:
  // Adds up both sides, with one value (or none, -1) on the other side than it is.
  void add_up(int moved, std::vector<double>& counts, double* weights) const {
    counts.assign(2 * k_, 0.0);
    weights[0] = weights[1] = 0.0;
    for (int i = 0; i < table_.n_values(); ++i) {
      const std::size_t side = sides()[at(i)] ^ (i == moved ? 1U : 0U);
      const auto row = table_.row(i);
      for (std::size_t l = 0; l < k_; ++l) counts[side * k_ + l] += row[l];
      weights[side] += table_.row_total(i);
    }
  }
  void shift(int value, std::uint8_t from, std::vector<double>& counts, double* weights) const {
    const auto row = table_.row(value);
    double* source = counts.data() + from * k_;
    double* target = counts.data() + (1 - from) * k_;
    for (std::size_t l = 0; l < k_; ++l) {
      // Rounding of real weights must not leave a class with less than nothing.
      source[l] = std::max(0.0, source[l] - row[l]);
      target[l] += row[l];
    }
    weights[from] = std::max(0.0, weights[from] - table_.row_total(value));
    weights[1 - from] += table_.row_total(value);
  }

  const CountTable& table_;
  const Criterion& criterion_;
  std::size_t k_;
  double before_;
  bool careful_;
  std::vector<double> counts_, trial_;
  double weights_[2] = {0.0, 0.0};
  double trial_weights_[2] = {0.0, 0.0};
};

// By the weight of the pairs of values that are separated. A move costs O(values).
class CutScorer final : public Scorer {
 public:
  explicit CutScorer(std::shared_ptr<const PairWeights> weights)
      : Scorer(weights->size()),
        weights_(std::move(weights)),
        to_side_{std::vector<double>(static_cast<std::size_t>(n_values())),
                 std::vector<double>(static_cast<std::size_t>(n_values()))} {
    assign_all(1);
  }

  double score() const override { return cut_; }
  double score_if_moved(int value) override { return cut_ + gain(value); }

 protected:
  void rebuild() override {
    for (auto& sums : to_side_) std::fill(sums.begin(), sums.end(), 0.0);
    double twice = 0.0;
    for (int i = 0; i < n_values(); ++i) {
      const auto row = weights_->row(i);
      for (std::size_t j = 0; j < row.size(); ++j)
        to_side_[sides()[j]][at(i)] += row[j];
      twice += to_side_[1 - sides()[at(i)]][at(i)];
    }
    cut_ = twice / 2.0;
  }

  void apply_move(int value, std::uint8_t from) override {
    cut_ += gain(value);
    const auto row = weights_->row(value);
    for (std::size_t j = 0; j < row.size(); ++j) {
      to_side_[from][j] -= row[j];
      to_side_[1 - from][j] += row[j];
    }
  }

 private:
  double gain(int value) const {
    const auto v = static_cast<std::size_t>(value);
    const std::uint8_t side = sides()[v];
    return to_side_[side][v] - to_side_[1 - side][v];
  }

  std::shared_ptr<const PairWeights> weights_;
  std::vector<double> to_side_[2];  // weight between each value and the values of a side
  double cut_ = 0.0;
};

}  // namespace

std::unique_ptr<Scorer> make_group_scorer(const CountTable& table, const Criterion& criterion) {
  if (auto scorer = make_whole_count_scorer(table, criterion)) return scorer;
  return std::make_unique<GroupScorer>(table, criterion);
}

std::unique_ptr<Scorer> make_cut_scorer(std::shared_ptr<const PairWeights> weights) {
  return std::make_unique<CutScorer>(std::move(weights));
}

}  // namespace mixedwood
