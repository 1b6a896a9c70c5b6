#include "mixedwood/regress.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "mixedwood/random.hpp"
#include "search.hpp"

namespace mixedwood {
namespace regression {
namespace {

// Gains closer than this, relative to the larger, are equal: the lower column wins.
constexpr double kEqual = 1e-10;
// A gain that is zero but for rounding, as a fraction of the node's loss.
constexpr double kRounding = 1e-12;

// A node that has a split but no children yet.
struct OpenNode {
  std::int32_t node = 0;
  std::int32_t depth = 0;
  std::uint64_t seed = 0;  // of this place in the tree, whatever the order of growth
  std::size_t begin = 0, end = 0;
  std::vector<std::int32_t> columns;  // that may still differ below
  Candidate split;
  double worth = 0.0;
};

bool worse(const OpenNode& a, const OpenNode& b) {
  return a.worth < b.worth || (a.worth == b.worth && a.node > b.node);
}

class Grower {
 public:
  Grower(const EncodedTable& table, const RegressData& data, const RegressSettings& settings, Stop& stop)
      : data_(data), settings_(settings), stop_(stop), columns_(table.columns) {
    const auto add = [&](std::size_t row) {
      const double weight = data.weights.empty() ? 1.0 : data.weights[row];
      if (!(weight > 0.0)) return;
      rows_.push_back(static_cast<std::int32_t>(row));
      weights_.push_back(weight);
    };
    if (data.rows.empty())
      for (std::size_t row = 0; row < table.n_rows; ++row) add(row);
    else
      for (const std::int32_t row : data.rows) add(static_cast<std::size_t>(row));
  }

  GrownTree run() {
    if (rows_.empty()) throw std::invalid_argument("no row has weight");
    const bool frequencies = std::all_of(weights_.begin(), weights_.end(), [](double weight) {
      return weight == std::floor(weight) && weight < 1e15;
    });
    Search search(settings_, copies(), frequencies, stop_);
    search_ = &search;
    OpenNode root;
    root.end = rows_.size();
    root.seed = settings_.seed;
    root.columns.resize(columns_.size());
    std::iota(root.columns.begin(), root.columns.end(), 0);
    root.node = add_node(root);
    std::int64_t leaves = 1;
    consider(std::move(root));
    while (!open_.empty()) {
      if (settings_.max_leaf_nodes && leaves >= *settings_.max_leaf_nodes) break;
      if (stop_.requested()) break;
      if (settings_.best_first) std::pop_heap(open_.begin(), open_.end(), worse);
      OpenNode node = std::move(open_.back());
      open_.pop_back();
      ++leaves;
      split(std::move(node));
    }
    tree_.complete = !stop_.timed_out();
    lay_out();
    return std::move(tree_);
  }

 private:
  struct Lists {
    std::vector<std::int32_t> children, values, value_children;
  };

  // How often a row comes in the sample, on average over its rows; copies lie together.
  double copies() const {
    double squares = 0.0;
    for (std::size_t i = 0; i < rows_.size();) {
      std::size_t j = i;
      while (j < rows_.size() && rows_[j] == rows_[i]) ++j;
      const auto n = static_cast<double>(j - i);
      squares += n * n;
      i = j;
    }
    return squares / static_cast<double>(rows_.size());
  }

  std::int32_t add_node(const OpenNode& at) {
    const std::int32_t node = tree_.add_leaf();
    tree_.label.push_back(0);  // of classes; a number has none
    lists_.emplace_back();
    double weight = 0.0;
    for (std::size_t i = at.begin; i < at.end; ++i) weight += weights_[i];
    const double mean = mean_of(at, weight);
    double squares = 0.0;
    for (std::size_t i = at.begin; i < at.end; ++i) {
      const double offset = target(i) - mean;
      squares += weights_[i] * offset * offset;
    }
    double value = mean, loss = squares;
    if (settings_.criterion == RegressionLoss::kPoisson) {
      loss = 0.0;
      for (std::size_t i = at.begin; i < at.end; ++i)
        loss += weights_[i] * poisson_loss(target(i), mean);
    } else if (settings_.criterion == RegressionLoss::kAbsoluteError) {
      value = median_of(at, weight);
      loss = 0.0;
      for (std::size_t i = at.begin; i < at.end; ++i)
        loss += weights_[i] * std::abs(target(i) - value);
    }
    tree_.weighted_n_node_samples.push_back(weight);
    for (const double statistic : {weight, value, squares, loss}) tree_.statistics.push_back(statistic);
    means_.push_back(mean);
    return node;
  }

  double target(std::size_t i) const { return data_.target[static_cast<std::size_t>(rows_[i])]; }

  // In two passes: the second corrects what the first rounded off.
  double mean_of(const OpenNode& at, double weight) const {
    const double origin = target(at.begin);
    double sum = 0.0;
    bool equal = true;
    for (std::size_t i = at.begin; i < at.end; ++i) {
      sum += weights_[i] * (target(i) - origin);
      equal &= target(i) == origin;
    }
    if (equal) return origin;
    const double first = origin + sum / weight;
    double rest = 0.0;
    for (std::size_t i = at.begin; i < at.end; ++i) rest += weights_[i] * (target(i) - first);
    return first + rest / weight;
  }

  // Half of the deviance of a row.
  static double poisson_loss(double y, double mean) {
    return (y > 0.0 ? y * std::log(y / mean) : 0.0) - y + mean;
  }

  // The middle of all medians, as numpy has it for weights of 1.
  double median_of(const OpenNode& at, double weight) {
    std::vector<std::pair<double, double>> sorted;
    for (std::size_t i = at.begin; i < at.end; ++i) sorted.emplace_back(target(i), weights_[i]);
    std::sort(sorted.begin(), sorted.end());
    double below = 0.0;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      below += sorted[i].second;
      if (below == weight / 2.0 && i + 1 < sorted.size())
        return sorted[i].first + (sorted[i + 1].first - sorted[i].first) / 2.0;
      if (below > weight / 2.0) return sorted[i].first;
    }
    return sorted.back().first;
  }

  const double* statistics_of(std::int32_t node) const {
    return tree_.statistics.data() + static_cast<std::size_t>(node) * kRegressionStatistics;
  }

  bool may_be_split(const OpenNode& node) const {
    if (settings_.max_depth && node.depth >= *settings_.max_depth) return false;
    const auto n = static_cast<double>(node.end - node.begin);
    if (n < settings_.min_samples_split || n < 2.0 * settings_.min_samples_leaf) return false;
    const double first = target(node.begin);
    for (std::size_t i = node.begin + 1; i < node.end; ++i)
      if (target(i) != first) return true;
    return false;
  }

  // Looks for a split, and keeps the node if it has one.
  void consider(OpenNode node) {
    if (!may_be_split(node)) return;
    const std::size_t n = node.end - node.begin;
    entries_.resize(rows_.size());
    // Sums of squares lose least relative to the mean. A Poisson loss needs the targets themselves.
    const double origin = settings_.criterion == RegressionLoss::kPoisson
                              ? 0.0
                              : means_[static_cast<std::size_t>(node.node)];
    Entry* entries = entries_.data() + node.begin;
    Moments total;
    for (std::size_t i = 0; i < n; ++i) {
      entries[i] = {weights_[node.begin + i], target(node.begin + i) - origin};
      total.add(entries[i].weight, entries[i].target);
    }
    const double* statistics = statistics_of(node.node);
    const NodeRows rows{{rows_.data() + node.begin, n}, {entries, n}, total, statistics[2], statistics[3]};
    if (settings_.selection == Selection::kSignificance)
      choose_by_significance(node, rows);
    else
      choose_by_score(node, rows);
    if (!node.split.found() || stop_.requested()) return;
    node.worth = node.split.rank * statistics[0];
    open_.push_back(std::move(node));
    if (settings_.best_first) std::push_heap(open_.begin(), open_.end(), worse);
  }

  std::vector<std::int32_t> columns_to_try(const OpenNode& node) const {
    std::vector<std::int32_t> columns = node.columns;
    if (!settings_.max_features) return columns;
    columns.resize(columns_.size());
    std::iota(columns.begin(), columns.end(), 0);
    Random(mix(node.seed, 0)).shuffle(columns);
    return columns;
  }

  // Rounding alone makes gains this large.
  double least_gain(const NodeRows& rows) const {
    return std::max(settings_.min_split_gain, 0.0) + kRounding * rows.loss / rows.total.weight;
  }

  void choose_by_score(OpenNode& node, const NodeRows& rows) {
    std::vector<std::int32_t> varying;
    std::int32_t tried = 0;
    for (const std::int32_t c : columns_to_try(node)) {
      if (settings_.max_features && tried++ >= *settings_.max_features && node.split.found()) break;
      bool varies = false;
      const EncodedColumn& column = columns_[static_cast<std::size_t>(c)];
      Candidate found =
          search_->best(rows, column, mix(node.seed, static_cast<std::uint64_t>(c) + 1), varies);
      if (varies) varying.push_back(c);
      if (stop_.requested(static_cast<std::int64_t>(rows.rows.size()))) return;
      found.column = c;
      // Another column is drawn in place of one whose values are mostly noise.
      if (settings_.selection == Selection::kAdjusted && found.found() && found.rank <= 0.0 &&
          found.values.size() > 2)
        --tried;
      if (found.found() && found.score >= least_gain(rows) && better(found, node.split))
        node.split = std::move(found);
    }
    if (!settings_.max_features) node.columns = std::move(varying);
  }

  static bool better(const Candidate& candidate, const Candidate& best) {
    if (!best.found()) return true;
    const double equal = kEqual * std::max(std::abs(candidate.rank), std::abs(best.rank));
    if (candidate.rank > best.rank + equal) return true;
    return candidate.rank >= best.rank - equal && candidate.column < best.column;
  }

  // The column that depends most significantly on the target; the next one where it cannot be split.
  void choose_by_significance(OpenNode& node, const NodeRows& rows) {
    std::vector<std::pair<double, std::int32_t>> tested;
    std::int32_t tried = 0;
    for (const std::int32_t c : columns_to_try(node)) {
      if (settings_.max_features && tried++ >= *settings_.max_features && !tested.empty()) break;
      tested.emplace_back(search_->log_p(rows, columns_[static_cast<std::size_t>(c)]), c);
      if (stop_.requested(static_cast<std::int64_t>(rows.rows.size()))) return;
    }
    std::sort(tested.begin(), tested.end());
    const auto n_tests = static_cast<double>(tested.size());
    for (const auto& [log_p, c] : tested) {
      const double p = std::exp(log_p);
      const double adjusted = settings_.bonferroni ? -std::expm1(n_tests * std::log1p(-p)) : p;
      if (p < 1.0 ? adjusted > settings_.alpha : settings_.alpha < 1.0) return;
      bool varies = false;
      Candidate found = search_->best(rows, columns_[static_cast<std::size_t>(c)],
                                      mix(node.seed, static_cast<std::uint64_t>(c) + 1), varies);
      if (stop_.requested(static_cast<std::int64_t>(rows.rows.size()))) return;
      if (!found.found() || found.score < least_gain(rows)) continue;
      found.column = c;
      node.split = std::move(found);
      return;
    }
  }

  void split(OpenNode node) {
    const auto i = static_cast<std::size_t>(node.node);
    Candidate& split = node.split;
    const EncodedColumn& column = columns_[static_cast<std::size_t>(split.column)];
    split.children_by_code(column.n_values(), child_of_);
    const std::size_t middle = partition(node, column.codes());
    tree_.split_kind[i] = split.kind;
    tree_.column[i] = split.column;
    tree_.score[i] = split.score;
    tree_.missing_child[i] = split.missing_child;
    if (split.kind == kInterval) tree_.high[i] = split.high;
    OpenNode children[2];
    for (const std::size_t c : {std::size_t{0}, std::size_t{1}}) {
      children[c].begin = c == 0 ? node.begin : middle;
      children[c].end = c == 0 ? middle : node.end;
      children[c].depth = node.depth + 1;
      children[c].seed = mix(node.seed, columns_.size() + 2 + c);
      if (!settings_.max_features) children[c].columns = node.columns;
      children[c].node = add_node(children[c]);
      lists_[i].children.push_back(children[c].node);
    }
    choose_sides(i, children[0].node, children[1].node);
    lists_[i].values = std::move(split.values);
    lists_[i].value_children = std::move(split.children);
    // The last one pushed is split next: the first child.
    consider(std::move(children[1]));
    consider(std::move(children[0]));
  }

  // Rows of the left child first, each side in the order of before.
  std::size_t partition(const OpenNode& node, const std::int32_t* codes) {
    other_rows_.clear();
    other_weights_.clear();
    std::size_t left = node.begin;
    for (std::size_t i = node.begin; i < node.end; ++i) {
      if (child_of_[static_cast<std::size_t>(codes[rows_[i]] + 1)] == 0) {
        rows_[left] = rows_[i];
        weights_[left++] = weights_[i];
      } else {
        other_rows_.push_back(rows_[i]);
        other_weights_.push_back(weights_[i]);
      }
    }
    std::copy(other_rows_.begin(), other_rows_.end(), rows_.begin() + static_cast<std::ptrdiff_t>(left));
    std::copy(other_weights_.begin(), other_weights_.end(),
              weights_.begin() + static_cast<std::ptrdiff_t>(left));
    return left;
  }

  // Where rows go that the split cannot place.
  void choose_sides(std::size_t i, std::int32_t first, std::int32_t second) {
    const std::int32_t heavier =
        tree_.weighted_n_node_samples[static_cast<std::size_t>(second)] > tree_.weighted_n_node_samples[static_cast<std::size_t>(first)];
    std::int32_t& missing = tree_.missing_child[i];
    const bool unmet = missing == kStop;
    if (unmet) missing = heavier;
    switch (settings_.handle_unknown) {
      case HandleUnknown::kStopAtNode: tree_.unknown_child[i] = kStop; break;
      case HandleUnknown::kWithMissing: tree_.unknown_child[i] = missing; break;
      case HandleUnknown::kMajority: tree_.unknown_child[i] = heavier; break;
    }
    if (unmet && settings_.handle_missing == HandleMissing::kCategory && tree_.split_kind[i] != kInterval)
      missing = tree_.unknown_child[i];
  }

  void lay_out() {
    for (const Lists& lists : lists_)
      tree_.end_lists(lists.children, lists.values, lists.value_children);
  }

  const RegressData& data_;
  const RegressSettings& settings_;
  Stop& stop_;
  const std::vector<EncodedColumn>& columns_;
  Search* search_ = nullptr;
  std::vector<std::int32_t> rows_, other_rows_;  // those of a node lie together
  std::vector<double> weights_, other_weights_;
  std::vector<Entry> entries_;
  std::vector<OpenNode> open_;
  GrownTree tree_;
  std::vector<double> means_;  // of each node
  std::vector<Lists> lists_;   // of each node, until they are laid out
  std::vector<std::int32_t> child_of_;
};

void check(const EncodedTable& table, const RegressData& data, const RegressSettings& settings) {
  if (data.target.size() != table.n_rows)
    throw std::invalid_argument("one target is needed for each row");
  if (!data.weights.empty() && data.weights.size() != table.n_rows)
    throw std::invalid_argument("one weight is needed for each row");
  for (const double y : data.target)
    if (!std::isfinite(y) || (settings.criterion == RegressionLoss::kPoisson && y < 0.0))
      throw std::invalid_argument("targets must be finite, and not negative for a Poisson loss");
  for (const double w : data.weights)
    if (!(w >= 0.0) || !std::isfinite(w))
      throw std::invalid_argument("weights must be finite and not negative");
  if (settings.selection == Selection::kAverageGain)
    throw std::invalid_argument("the average gain is a rule for classes");
  if (settings.handle_missing == HandleMissing::kAllChildren)
    throw std::invalid_argument("rows of a regression tree are not divided among children");
  for (const std::int32_t row : data.rows)
    if (row < 0 || static_cast<std::size_t>(row) >= table.n_rows)
      throw std::invalid_argument("no such row");
}

}  // namespace
}  // namespace regression

GrownTree regress(const EncodedTable& table, const RegressData& data, const RegressSettings& settings,
                  Stop& stop) {
  regression::check(table, data, settings);
  return regression::Grower(table, data, settings, stop).run();
}

}  // namespace mixedwood
