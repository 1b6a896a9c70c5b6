#include "whole_count_scorer.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "criteria/impurity.hpp"

namespace mixedwood {
namespace {

// The purity of two sides beside a bound.
struct BoundedGini : GiniPurity {
  static double largest(double total) { return total; }
  static bool below(const double (&sums)[2], const double (&weights)[2], double needed) {
    return sums[0] * weights[1] + sums[1] * weights[0] < needed * weights[0] * weights[1];
  }
};

struct BoundedEntropy : EntropyPurity {
  double largest(double total) const { return 1.0 + part(total); }
  bool below(const double (&sums)[2], const double (&weights)[2], double needed) const {
    return of(sums[0], weights[0]) + of(sums[1], weights[1]) < needed;
  }
};

// Sums of the parts of the classes are kept up to date, without rounding that matters. They tell
// whether a partition can be above a bound; only then is it scored. A move costs O(classes of the
// value).
template <typename Purity>
class WholeCountScorer final : public Scorer {
 public:
  WholeCountScorer(const CountTable& table, const Criterion& criterion)
      : Scorer(table.n_values()),
        table_(table),
        criterion_(criterion),
        k_(static_cast<std::size_t>(table.n_classes())),
        before_(criterion.before(table.class_totals())),
        counts_(2 * k_),
        start_(static_cast<std::size_t>(table.n_values()) + 1) {
    parts_.reserve(start_.size() + k_);
    for (int i = 0; i < table.n_values(); ++i) {
      const auto row = table.row(i);
      for (std::size_t l = 0; l < k_; ++l)
        if (row[l] != 0.0) parts_.push_back({row[l], l});
      start_[at(i) + 1] = parts_.size();
    }
    assign_all(1);
    whole_ = purity_.of(sums_[1], weights_[1]);
    slack_ = kSlack * purity_.largest(table.total());
  }

  double score() const override { return score_of(counts_, weights_); }

  double score_if_moved(int value) override {
    trial_ = counts_;
    const std::uint8_t from = sides()[at(value)];
    for (const auto& [count, cls] : parts_of(value)) {
      trial_[from * k_ + cls] -= count;
      trial_[(1U - from) * k_ + cls] += count;
    }
    double weights[2] = {weights_[0], weights_[1]};
    weights[from] -= table_.row_total(value);
    weights[1 - from] += table_.row_total(value);
    return score_of(trial_, weights);
  }

  double score_above(double bound) const override {
    return purity_.below(sums_, weights_, needed(bound)) ? bound : score();
  }

  double score_if_moved_above(int value, double bound) override {
    const std::uint8_t from = sides()[at(value)];
    double sums[2] = {sums_[0], sums_[1]}, weights[2] = {weights_[0], weights_[1]};
    for (const auto& [count, cls] : parts_of(value)) {
      const double source = counts_[from * k_ + cls], target = counts_[(1U - from) * k_ + cls];
      sums[from] += purity_.part(source - count) - purity_.part(source);
      sums[1 - from] += purity_.part(target + count) - purity_.part(target);
    }
    weights[from] -= table_.row_total(value);
    weights[1 - from] += table_.row_total(value);
    return purity_.below(sums, weights, needed(bound)) ? bound : score_if_moved(value);
  }

 protected:
  void rebuild() override {
    counts_.assign(2 * k_, 0.0);
    weights_[0] = weights_[1] = 0.0;
    if (n_left() == 0 || n_left() == n_values()) {
      const std::size_t side = n_left() == 0 ? 1 : 0;
      std::copy(table_.class_totals().begin(), table_.class_totals().end(),
                counts_.begin() + static_cast<std::ptrdiff_t>(side * k_));
      weights_[side] = table_.total();
    } else {
      for (int i = 0; i < n_values(); ++i) {
        const std::size_t side = sides()[at(i)];
        for (const auto& [count, cls] : parts_of(i)) counts_[side * k_ + cls] += count;
        weights_[side] += table_.row_total(i);
      }
    }
    for (std::size_t side : {0U, 1U}) {
      sums_[side] = 0.0;
      for (std::size_t l = 0; l < k_; ++l) sums_[side] += purity_.part(counts_[side * k_ + l]);
    }
  }

  void apply_move(int value, std::uint8_t from) override {
    for (const auto& [count, cls] : parts_of(value)) {
      double &source = counts_[from * k_ + cls], &target = counts_[(1U - from) * k_ + cls];
      sums_[from] += purity_.part(source - count) - purity_.part(source);
      sums_[1 - from] += purity_.part(target + count) - purity_.part(target);
      source -= count;
      target += count;
    }
    weights_[from] -= table_.row_total(value);
    weights_[1 - from] += table_.row_total(value);
  }

 private:
  static constexpr double kSlack = 1e-9;  // far above rounding; what is within is scored

  struct Part {
    double count;
    std::size_t cls;
  };
  std::span<const Part> parts_of(int value) const {
    const auto v = static_cast<std::size_t>(value);
    return {parts_.data() + start_[v], parts_.data() + start_[v + 1]};
  }
  double score_of(const std::vector<double>& counts, const double (&weights)[2]) const {
    return criterion_.score(GroupStatistics(counts, weights, static_cast<int>(k_)), before_);
  }
  // The score is the rise of purity over that of the whole table, per weight.
  double needed(double bound) const { return whole_ + table_.total() * bound - slack_; }

  Purity purity_;
  const CountTable& table_;
  const Criterion& criterion_;
  std::size_t k_;
  double before_, whole_ = 0.0, slack_ = 0.0;
  std::vector<double> counts_, trial_;
  std::vector<std::size_t> start_;
  std::vector<Part> parts_;  // of the values, one after the other
  double sums_[2] = {0.0, 0.0};
  double weights_[2] = {0.0, 0.0};
};

// Whole, and so few that their squares have no rounding.
bool has_whole_counts(const CountTable& table) {
  if (table.total() > 0x1.0p26) return false;
  for (int i = 0; i < table.n_values(); ++i)
    for (const double count : table.row(i))
      if (count != std::floor(count)) return false;
  return true;
}

}  // namespace

std::unique_ptr<Scorer> make_whole_count_scorer(const CountTable& table,
                                                const Criterion& criterion) {
  const CriterionTraits traits = criterion.traits();
  if (!traits.impurity_gain || !has_whole_counts(table)) return nullptr;
  if (traits.impurity == ImpurityKind::kGini)
    return std::make_unique<WholeCountScorer<BoundedGini>>(table, criterion);
  return std::make_unique<WholeCountScorer<BoundedEntropy>>(table, criterion);
}

}  // namespace mixedwood
