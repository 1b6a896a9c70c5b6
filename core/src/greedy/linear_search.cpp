#include "linear_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mixedwood/random.hpp"

namespace mixedwood {
namespace {

constexpr std::size_t kFewestToTune = 10;  // rows
constexpr std::size_t kMostCuts = 1024;    // that are looked at; groups of rows beyond
constexpr std::size_t kFewClasses = 5;     // all groupings of so many are tried when asked for
constexpr double kFarFromOne = 1e6;        // weights so large or small count by their ratios only

// Weights of rows as machines take them. Light rows beside others of a usual weight are no reason to
// change the weight of the others: rows shared out among children can be very light.
void scale_weights(const NodeRows& node, std::vector<double>& weights) {
  weights.assign(node.weights.begin(), node.weights.end());
  if (weights.empty()) return;
  const double most = *std::max_element(weights.begin(), weights.end());
  if (most <= kFarFromOne && most >= 1.0 / kFarFromOne) return;
  const double mean =
      std::accumulate(weights.begin(), weights.end(), 0.0) / static_cast<double>(weights.size());
  for (double& w : weights) w /= mean;
}

}  // namespace

std::vector<Candidate> LinearSearch::candidates(const NodeRows& node,
                                                const PresentClasses& present,
                                                std::span<const std::int32_t> which,
                                                std::uint64_t seed) {
  std::vector<Candidate> found;
  if (static_cast<double>(node.size()) < settings().min_rows) return found;
  rows_.read(columns_, which, node, settings().nominal,
             static_cast<std::size_t>(settings().max_weights));
  if (rows_.empty()) return found;
  scale_weights(node, row_weights_);
  deal_parts(node, present, seed);
  const auto asked = questions(node, present);
  for (const LinearMachine* machine : settings().machines)
    for (const auto& signs : asked) {
      Candidate candidate = this->candidate(*machine, node, present, signs);
      if (stop_.requested(static_cast<std::int64_t>(node.size()))) return {};
      if (candidate.found()) found.push_back(std::move(candidate));
    }
  return found;
}

// Rows are left out by turns, each class in its own proportion; copies of a row stay together.
void LinearSearch::deal_parts(const NodeRows& node, const PresentClasses& present,
                              std::uint64_t seed) {
  parts_ = {};
  const std::size_t n = node.size();
  if (n < kFewestToTune) return;
  struct Keyed {
    std::int32_t cls;
    std::uint64_t key;
    std::int32_t position;
  };
  std::vector<Keyed> keyed(n);
  for (std::size_t i = 0; i < n; ++i)
    keyed[i] = {present.position[static_cast<std::size_t>(node.classes[i])],
                Random(seed, static_cast<std::uint64_t>(node.rows[i])).bits(), static_cast<std::int32_t>(i)};
  std::sort(keyed.begin(), keyed.end(), [](const Keyed& a, const Keyed& b) {
    return a.cls != b.cls ? a.cls < b.cls : a.key != b.key ? a.key < b.key : a.position < b.position;
  });
  // Every so many rows of this order are a sample that has the classes in proportion.
  const double stride = std::max(
      1.0, static_cast<double>(n) / static_cast<double>(settings().max_tuning_rows));
  const std::int32_t every = settings().n_folds == 1 ? 3 : settings().n_folds;
  double next = 0.0;
  std::int32_t turn = -1;
  for (std::size_t i = 0; i < n; ++i) {
    if (static_cast<double>(i) < next) continue;
    next += stride;
    const bool copy = !parts_.sample.empty() && i > 0 && keyed[i].key == keyed[i - 1].key &&
                      keyed[i].cls == keyed[i - 1].cls;
    if (!copy) turn = (turn + 1) % every;
    parts_.sample.push_back(keyed[i].position);
    parts_.part.push_back(settings().n_folds == 1 ? (turn == 0 ? 0 : -1) : turn);
  }
  parts_.n_parts = settings().n_folds;
}

std::vector<std::vector<std::int8_t>> LinearSearch::questions(
    const NodeRows& node, const PresentClasses& present) const {
  const std::size_t k = present.classes.size();
  std::vector<double> weights(k, 0.0);
  for (std::size_t i = 0; i < node.size(); ++i)
    weights[static_cast<std::size_t>(present.position[static_cast<std::size_t>(node.classes[i])])] +=
        node.weight(i);
  std::vector<std::size_t> order(k);  // heaviest first
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
  std::vector<std::vector<std::int8_t>> of_class;  // sign of each class
  const auto alone = [&](std::size_t c) {
    std::vector<std::int8_t> signs(k, -1);
    signs[c] = 1;
    of_class.push_back(std::move(signs));
  };
  const auto most = static_cast<std::size_t>(settings().max_questions);
  if (k == 2) {
    alone(1);  // the later class is the positive one
  } else if (settings().superclasses == Superclasses::kLargest) {
    alone(order[0]);
  } else if (settings().superclasses == Superclasses::kBalanced) {
    std::vector<std::int8_t> signs(k, -1);
    double sum[2] = {0.0, 0.0};
    for (const std::size_t c : order) {
      const bool positive = sum[1] <= sum[0];
      sum[positive] += weights[c];
      if (positive) signs[c] = 1;
    }
    of_class.push_back(std::move(signs));
  } else if (settings().superclasses == Superclasses::kEvery && k <= kFewClasses) {
    for (std::size_t bits = 1; bits < (std::size_t{1} << (k - 1)); ++bits) {
      std::vector<std::int8_t> signs(k, -1);
      for (std::size_t c = 0; c + 1 < k; ++c)
        if (bits >> c & 1) signs[c] = 1;
      of_class.push_back(std::move(signs));
    }
  } else {
    for (std::size_t c = 0; c < std::min(k, most); ++c) alone(order[c]);
  }
  std::vector<std::vector<std::int8_t>> asked;
  for (const auto& signs : of_class) {
    auto& of_row = asked.emplace_back(node.size());
    for (std::size_t i = 0; i < node.size(); ++i)
      of_row[i] = signs[static_cast<std::size_t>(
          present.position[static_cast<std::size_t>(node.classes[i])])];
  }
  return asked;
}

// Fits on all parts but one, in turn, for each setting, and looks at the rows left out. False when
// there is nothing to look at.
bool LinearSearch::choose_setting(const LinearMachine& machine, const NodeRows& node,
                                  const PresentClasses& present,
                                  std::span<const std::int8_t> signs, Chosen& chosen) {
  chosen.setting = machine.default_setting();
  if (parts_.n_parts == 0 || (machine.n_settings() == 1 && !settings().validated)) return true;
  const std::size_t n = parts_.sample.size(), n_settings = machine.n_settings();
  std::vector<std::vector<double>> left_out(
      n_settings, std::vector<double>(n, std::numeric_limits<double>::quiet_NaN()));
  std::vector<std::vector<double>> planes(n_settings);
  for (std::int32_t part = 0; part < parts_.n_parts; ++part) {
    std::vector<std::int32_t> fitted;
    bool has[2] = {false, false};
    some_signs_.clear();
    some_weights_.clear();
    for (std::size_t i = 0; i < n; ++i) {
      if (parts_.part[i] == part) continue;
      const auto position = static_cast<std::size_t>(parts_.sample[i]);
      fitted.push_back(parts_.sample[i]);
      some_signs_.push_back(signs[position]);
      if (!row_weights_.empty()) some_weights_.push_back(row_weights_[position]);
      has[signs[position] > 0] = true;
    }
    if (!has[0] || !has[1]) return true;  // too few of a class: nothing to choose by
    const MixedRows some = rows_.some(fitted);
    std::vector<double> plane(rows_.n_weights(), 0.0);
    const MixedRows all = rows_.all();
    for (std::size_t s = 0; s < n_settings; ++s) {  // each a good start for the next
      if (!machine.fit(some, {some_signs_, some_weights_}, s, plane, stop_)) return false;
      planes[s] = plane;
      for (std::size_t i = 0; i < n; ++i)
        if (parts_.part[i] == part)
          left_out[s][i] = all.distance(static_cast<std::size_t>(parts_.sample[i]), plane);
    }
  }
  double best = -std::numeric_limits<double>::infinity();
  for (std::size_t s = 0; s < n_settings; ++s) {
    double where = 0.0;
    const Cut found = cut(left_out[s], parts_.sample, node, present, settings().best_cut,
                          left_out_sweep_, where);
    const double score = found.found() ? found.score : -std::numeric_limits<double>::infinity();
    double goodness = score;
    if (!settings().best_cut) {  // fewest errors on the rows left out
      goodness = 0.0;
      for (std::size_t i = 0; i < n; ++i) {
        if (std::isnan(left_out[s][i])) continue;
        const auto position = static_cast<std::size_t>(parts_.sample[i]);
        if ((left_out[s][i] > 0.0) != (signs[position] > 0)) goodness -= node.weight(position);
      }
    }
    if (s > 0 && !(goodness > best)) continue;
    best = goodness;
    chosen.setting = s;
    chosen.plane = planes[s];
    chosen.score = score;
  }
  if (settings_.criterion->traits().scales_with_weight)
    chosen.score *= weight_beside_left_out(node, left_out[0]);
  chosen.validated = true;
  return true;
}

// Scores that grow with the weight are compared with those of all rows.
double LinearSearch::weight_beside_left_out(const NodeRows& node,
                                            std::span<const double> left_out) const {
  double all = 0.0, out = 0.0;
  for (std::size_t i = 0; i < node.size(); ++i) all += node.weight(i);
  for (std::size_t i = 0; i < left_out.size(); ++i)
    if (!std::isnan(left_out[i])) out += node.weight(static_cast<std::size_t>(parts_.sample[i]));
  return out > 0.0 ? all / out : 1.0;
}

Candidate LinearSearch::candidate(const LinearMachine& machine, const NodeRows& node,
                                  const PresentClasses& present,
                                  std::span<const std::int8_t> signs) {
  Chosen chosen;
  if (!choose_setting(machine, node, present, signs, chosen)) return {};
  if (settings().validated && !(chosen.validated && std::isfinite(chosen.score))) return {};
  std::vector<double>& plane = chosen.plane;
  if (plane.empty()) plane.assign(rows_.n_weights(), 0.0);
  if (!machine.fit(rows_.all(), {signs, row_weights_}, chosen.setting, plane, stop_)) return {};
  Candidate found;
  rows_.terms_of(plane, found.terms, found.intercept);
  if (found.terms.empty()) return {};

  const std::size_t n = node.size();
  std::vector<double> distances(n);
  if (!add_up(found, node, distances)) return {};
  std::vector<std::int32_t> everyone(n);
  std::iota(everyone.begin(), everyone.end(), 0);
  double where = 0.0;
  Cut cut_at = cut(distances, everyone, node, present, settings().best_cut, sweep_, where);
  if (cut_at.found() && where != 0.0) {
    // Rounding may take rows next to the cut to the other side: what counts is where they are now.
    found.intercept -= where;
    if (!add_up(found, node, distances)) return {};
    cut_at = cut(distances, everyone, node, present, false, sweep_, where);
  }
  if (!cut_at.found()) return {};
  found.kind = kLinear;
  found.score = settings().validated ? chosen.score : cut_at.score;
  found.children.resize(n);
  for (std::size_t i = 0; i < n; ++i) found.children[i] = distances[i] > 0.0 ? 0 : 1;
  return found;
}

// In the numbers of the table and in the order of `LinearTests`: training rows go to the side that
// the finished tree sends them to, to the last bit. False when a sum is beyond all numbers.
bool LinearSearch::add_up(const Candidate& test, const NodeRows& node,
                          std::span<double> distances) const {
  std::fill(distances.begin(), distances.end(), test.intercept);
  const auto column_of = [&](const LinearTerm& term) -> const CodedColumn& {
    return columns_[static_cast<std::size_t>(term.column)];
  };
  for (const bool numeric : {true, false})
    for (const LinearTerm& term : test.terms) {
      const CodedColumn& column = column_of(term);
      if (term.value >= 0 || column.is_numeric() != numeric) continue;
      for (std::size_t i = 0; i < distances.size(); ++i) {
        const std::int32_t code = column.codes()[node.rows[i]];
        distances[i] += term.weight * (code < 0 ? term.fill : column.number(code));
      }
    }
  std::vector<std::int32_t> done;  // columns whose values have been added
  std::vector<double> weight_of;
  for (const LinearTerm& first : test.terms) {
    if (first.value < 0 || std::find(done.begin(), done.end(), first.column) != done.end()) continue;
    done.push_back(first.column);
    const CodedColumn& column = column_of(first);
    weight_of.assign(static_cast<std::size_t>(column.n_values()) + 1, 0.0);
    for (const LinearTerm& term : test.terms)
      if (term.column == first.column)
        weight_of[static_cast<std::size_t>(term.value) + 1] = term.weight;
    for (std::size_t i = 0; i < distances.size(); ++i)
      distances[i] += weight_of[static_cast<std::size_t>(column.codes()[node.rows[i]] + 1)];
  }
  return std::all_of(distances.begin(), distances.end(),
                     [](double d) { return std::isfinite(d); });
}

Cut LinearSearch::cut(std::span<const double> distances, std::span<const std::int32_t> positions,
                      const NodeRows& node, const PresentClasses& present, bool best,
                      Sweep& sweep, double& where) {
  std::vector<std::int32_t> order;
  for (std::size_t i = 0; i < distances.size(); ++i)
    if (!std::isnan(distances[i])) order.push_back(static_cast<std::int32_t>(i));
  const auto at = [&](std::size_t i) { return distances[static_cast<std::size_t>(order[i])]; };
  std::size_t per_group = order.size();
  if (best) {
    std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
      const double x = distances[static_cast<std::size_t>(a)], y = distances[static_cast<std::size_t>(b)];
      return x != y ? x < y : a < b;
    });
    per_group = (order.size() + kMostCuts - 1) / kMostCuts;
  } else {
    std::stable_partition(order.begin(), order.end(), [&](std::int32_t i) {
      return !(distances[static_cast<std::size_t>(i)] > 0.0);
    });
  }
  // Groups of rows: next to each other in the order, or on one side.
  table_.start(present.classes.size(), std::min(order.size(), kMostCuts) + 2);
  std::vector<std::size_t> ends;  // of the groups, as places in the order
  std::size_t group = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool fresh = i == 0 || (best ? i - (ends.empty() ? 0 : ends.back()) >= per_group && at(i) > at(i - 1)
                                       : (at(i) > 0.0) != (at(i - 1) > 0.0));
    if (fresh) {
      if (i > 0) ends.push_back(i);
      group = table_.add(static_cast<std::int32_t>(ends.size()));
    }
    const auto position = static_cast<std::size_t>(
        positions[static_cast<std::size_t>(order[i])]);
    const auto cls = static_cast<std::size_t>(
        present.position[static_cast<std::size_t>(node.classes[position])]);
    const double w = node.weight(position);
    table_.entry_at(group)[cls] += w;
    table_.totals[group] += w;
    table_.rows[group] += node.fractional ? w : 1.0;
  }
  table_.finish();
  if (table_.size() < 2) return {};
  const Cut found = sweep.best(table_, {}, false, stop_);
  if (!found.found()) return found;
  where = 0.0;
  if (best) {
    const std::size_t end = ends[static_cast<std::size_t>(found.last_left)];
    where = at(end - 1) + (at(end) - at(end - 1)) / 2.0;
    if (!(where < at(end))) where = at(end - 1);  // halfway between neighbours is no number
  }
  return found;
}

}  // namespace mixedwood
