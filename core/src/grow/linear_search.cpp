#include "linear_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "../linear/superclasses.hpp"

namespace mixedwood {
namespace {

constexpr double kFarFromOne = 1e6;  // weights so large or small count by their ratios only

// Weights of rows as models take them. Light rows beside others of a usual weight are no reason to
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
  if (static_cast<double>(node.size()) < settings().min_samples_model) return found;
  rows_.read(columns_, which, node, settings().node_features == NodeFeatures::kAll,
             static_cast<std::size_t>(settings().max_terms));
  if (rows_.empty()) return found;
  node_columns_ = rows_.node_columns(node);
  scale_weights(node, row_weights_);
  parts_ = assign_folds(node, settings().node_cv, settings().max_tuning_rows, seed);
  const auto asked = groupings(node, present);
  for (const auto& model : settings().models)
    for (const auto& signs : asked) {
      Candidate candidate = this->candidate(*model, node, present, signs);
      if (stop_.requested(static_cast<std::int64_t>(node.size()))) return {};
      if (candidate.found()) found.push_back(std::move(candidate));
    }
  return found;
}

std::vector<std::vector<std::int8_t>> LinearSearch::groupings(
    const NodeRows& node, const PresentClasses& present) const {
  const auto place = [&](std::size_t i) {
    return static_cast<std::size_t>(present.position[at(node.classes[i])]);
  };
  std::vector<double> weights(present.classes.size(), 0.0);
  for (std::size_t i = 0; i < node.size(); ++i) weights[place(i)] += node.weight(i);
  std::vector<std::vector<std::int8_t>> asked;
  for (const auto& signs : group_classes(settings().multi_class, weights,
                                         static_cast<std::size_t>(settings().max_groupings))) {
    auto& of_row = asked.emplace_back(node.size());
    for (std::size_t i = 0; i < node.size(); ++i) of_row[i] = signs[place(i)];
  }
  return asked;
}

// Fits on all parts but one, in turn, for each setting, and looks at the rows left out. Where these
// are too few, the model's default stands. False when asked to stop, or there is no hyperplane.
bool LinearSearch::choose_setting(const LinearModel& model, const NodeRows& node,
                                  const PresentClasses& present,
                                  std::span<const std::int8_t> signs, Chosen& chosen) {
  chosen.setting = model.default_setting();
  if (parts_.n_parts == 0 || (model.n_settings() == 1 && !settings().validates())) return true;
  const std::size_t n = parts_.sample.size(), n_settings = model.n_settings();
  std::vector<std::vector<double>> left_out(
      n_settings, std::vector<double>(n, std::numeric_limits<double>::quiet_NaN()));
  std::vector<std::vector<double>> hyperplanes(n_settings);
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
    if (!has[0] || !has[1]) return true;  // too few of a class: nothing to select by
    const MixedRows some = rows_.some(fitted);
    FittedModel result;
    result.hyperplane.assign(rows_.n_weights(), 0.0);
    const MixedRows all = rows_.all();
    for (std::size_t s = 0; s < n_settings; ++s) {  // each a good start for the next
      if (!model.fit_node(some, {some_signs_, some_weights_}, s, node_columns_, false, result, stop_))
        return false;
      hyperplanes[s] = result.hyperplane;
      for (std::size_t i = 0; i < n; ++i) {
        if (parts_.part[i] != part) continue;
        const auto position = static_cast<std::size_t>(parts_.sample[i]);
        left_out[s][i] = result.decisions.empty() ? all.distance(position, result.hyperplane)
                                                  : result.decisions[position];
      }
    }
  }
  double best = -std::numeric_limits<double>::infinity();
  for (std::size_t s = 0; s < n_settings; ++s) {
    double where = 0.0;
    const Cut found = cut_.find(left_out[s], parts_.sample, node, present, settings().intercept,
                                validation_scan_, where);
    const double score = found.found() ? found.score : -std::numeric_limits<double>::infinity();
    double goodness = score;
    if (settings().intercept == Intercept::kModel) {  // fewest errors on the rows left out
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
    chosen.hyperplane = hyperplanes[s];
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

Candidate LinearSearch::candidate(const LinearModel& model, const NodeRows& node,
                                  const PresentClasses& present,
                                  std::span<const std::int8_t> signs) {
  Chosen chosen;
  if (!choose_setting(model, node, present, signs, chosen)) return {};
  if (settings().validates() && !(chosen.validated && std::isfinite(chosen.score))) return {};
  FittedModel fitted;
  fitted.hyperplane = std::move(chosen.hyperplane);
  if (fitted.hyperplane.empty()) fitted.hyperplane.assign(rows_.n_weights(), 0.0);
  if (!model.fit_node(rows_.all(), {signs, row_weights_}, chosen.setting, node_columns_, true, fitted,
                      stop_))
    return {};
  Candidate found;
  if (fitted.decisions.empty()) {
    rows_.terms_of(fitted.hyperplane, found.terms, found.intercept);
  } else {  // its decisions are a column behind those of the table
    found.terms.push_back({static_cast<std::int32_t>(columns_.size()) + fitted.number, -1, 1.0,
                           std::numeric_limits<double>::quiet_NaN()});
  }
  if (found.terms.empty()) return {};

  const std::size_t n = node.size();
  std::vector<double> distances(n);
  if (!place(found, fitted, node, distances)) return {};
  std::vector<std::int32_t> all_rows(n);
  std::iota(all_rows.begin(), all_rows.end(), 0);
  double where = 0.0;
  Cut cut_at = cut_.find(distances, all_rows, node, present, settings().intercept, scan_, where);
  if (cut_at.found() && where != 0.0) {
    // Rounding may take rows next to the cut to the other side: what counts is where they are now.
    found.intercept -= where;
    if (!place(found, fitted, node, distances)) return {};
    cut_at = cut_.find(distances, all_rows, node, present, Intercept::kModel, scan_, where);
  }
  if (!cut_at.found()) return {};
  found.kind = kLinear;
  found.score = settings().validates() ? chosen.score : cut_at.score;
  found.children.resize(n);
  for (std::size_t i = 0; i < n; ++i) found.children[i] = distances[i] > 0.0 ? 0 : 1;
  return found;
}

// Where the rows are; false when one of them is nowhere.
bool LinearSearch::place(const Candidate& split, const FittedModel& fitted, const NodeRows& node,
                         std::span<double> distances) const {
  if (fitted.decisions.empty()) return add_up(split, node, distances);
  for (std::size_t i = 0; i < distances.size(); ++i)
    distances[i] = split.intercept + fitted.decisions[i];
  return std::all_of(distances.begin(), distances.end(),
                     [](double d) { return std::isfinite(d); });
}

// In the numbers of the table and in the order of `LinearSplits`: training rows go to the side that
// the finished tree sends them to, to the last bit. False when a sum is beyond all numbers.
bool LinearSearch::add_up(const Candidate& split, const NodeRows& node,
                          std::span<double> distances) const {
  std::fill(distances.begin(), distances.end(), split.intercept);
  const auto column_of = [&](const LinearTerm& term) -> const EncodedColumn& {
    return columns_[at(term.column)];
  };
  for (const bool numeric : {true, false})
    for (const LinearTerm& term : split.terms) {
      const EncodedColumn& column = column_of(term);
      if (term.value >= 0 || column.is_numeric() != numeric) continue;
      for (std::size_t i = 0; i < distances.size(); ++i) {
        const std::int32_t code = column.codes()[node.rows[i]];
        distances[i] += term.weight * (code < 0 ? term.fill : column.number(code));
      }
    }
  std::vector<std::int32_t> done;  // columns whose values have been added
  std::vector<double> weight_of;
  for (const LinearTerm& first : split.terms) {
    if (first.value < 0 || std::find(done.begin(), done.end(), first.column) != done.end()) continue;
    done.push_back(first.column);
    const EncodedColumn& column = column_of(first);
    weight_of.assign(static_cast<std::size_t>(column.n_values()) + 1, 0.0);
    for (const LinearTerm& term : split.terms)
      if (term.column == first.column)
        weight_of[at(term.value) + 1] = term.weight;
    for (std::size_t i = 0; i < distances.size(); ++i)
      distances[i] += weight_of[at(column.codes()[node.rows[i]] + 1)];
  }
  return std::all_of(distances.begin(), distances.end(),
                     [](double d) { return std::isfinite(d); });
}

}  // namespace mixedwood
