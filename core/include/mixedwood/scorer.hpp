// Scores two-way partitions of one table, one move of a value at a time.
//
// The interface between criteria and searches: a search only moves values between the sides and asks
// for the score. Criteria on group weights and criteria on pairs of values (chi2) look the same
// from here, so every search works with every criterion.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "mixedwood/index.hpp"
#include "mixedwood/count_table.hpp"
#include "mixedwood/criterion.hpp"

namespace mixedwood {

using Sides = std::vector<std::uint8_t>;  // 0 = left, 1 = right, one per value

class Scorer {
 public:
  virtual ~Scorer() = default;

  // Starts from a given partition. Also wipes out rounding left by long series of moves.
  void assign(const Sides& sides) {
    if (sides.size() != sides_.size()) throw std::logic_error("a side is needed for each value");
    sides_ = sides;
    n_left_ = 0;
    for (auto s : sides_) n_left_ += s == 0;
    rebuild();
  }
  void assign_all(std::uint8_t side) {
    sides_.assign(sides_.size(), side);
    n_left_ = side == 0 ? n_values() : 0;
    rebuild();
  }

  // Moves a value to the other side.
  void move(int value) {
    auto& side = sides_[at(value)];
    apply_move(value, side);
    side ^= 1;
    n_left_ += side == 0 ? 1 : -1;
  }

  // Score of the partition; only meaningful when both sides have a value.
  virtual double score() const = 0;
  // Score after moving one value, without moving it.
  virtual double score_if_moved(int value) = 0;

  // The same scores where they are above `bound`, else any number that is not. A search that keeps
  // the best needs no more, and most partitions are recognized as worse with less work.
  virtual double score_above(double /*bound*/) const { return score(); }
  virtual double score_if_moved_above(int value, double /*bound*/) { return score_if_moved(value); }

  const Sides& sides() const { return sides_; }
  int n_left() const { return n_left_; }
  int n_values() const { return static_cast<int>(sides_.size()); }

 protected:
  explicit Scorer(int n_values) : sides_(static_cast<std::size_t>(n_values), 1) {}
  virtual void rebuild() = 0;
  virtual void apply_move(int value, std::uint8_t from) = 0;

 private:
  Sides sides_;
  int n_left_ = 0;
};

class PairWeights;

// By the class weights of the two sides.
std::unique_ptr<Scorer> make_group_scorer(const CountTable& table, const Criterion& criterion);
// By the weight of the pairs of values that are separated.
std::unique_ptr<Scorer> make_cut_scorer(std::shared_ptr<const PairWeights> weights);

}  // namespace mixedwood
