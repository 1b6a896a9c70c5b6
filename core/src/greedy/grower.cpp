#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>

#include "c45.hpp"
#include "counting.hpp"
#include "linear_search.hpp"
#include "mixedwood/grow.hpp"
#include "mixedwood/random.hpp"
#include "mixedwood/significance.hpp"
#include "rows.hpp"
#include "search.hpp"
#include "x_log_x.hpp"

namespace mixedwood {
namespace {

// Scores closer than this, relative to the larger, are equal: the lower column wins.
constexpr double kEqual = 1e-10;
// A gain that is zero but for rounding.
constexpr double kRounding = 1e-12;
// WEKA's RandomTree wants more than this.
constexpr double kPositiveGain = 1e-6;

// A node that has been looked at and has a test, but no children yet.
struct Waiting {
  std::int32_t node = 0;
  std::int32_t depth = 0;
  std::uint64_t seed = 0;  // of this place in the tree, whatever the order of growth
  RowSet rows;
  std::vector<std::int32_t> columns;  // that may still differ below
  Histogram histogram;
  Candidate test;
  double worth = 0.0;
};

// Which node is split next: the one made last, or the one whose split is worth most.
class Frontier {
 public:
  explicit Frontier(bool best_first) : best_first_(best_first) {}
  bool empty() const { return nodes_.empty(); }
  void push(Waiting node) {
    nodes_.push_back(std::move(node));
    if (best_first_) std::push_heap(nodes_.begin(), nodes_.end(), worse);
  }
  Waiting pop() {
    if (best_first_) std::pop_heap(nodes_.begin(), nodes_.end(), worse);
    Waiting node = std::move(nodes_.back());
    nodes_.pop_back();
    return node;
  }

 private:
  static bool worse(const Waiting& a, const Waiting& b) {
    return a.worth < b.worth || (a.worth == b.worth && a.node > b.node);
  }
  bool best_first_;
  std::vector<Waiting> nodes_;
};

class Grower {
 public:
  Grower(const CodedTable& table, const GrowData& data, const GrowSettings& settings, Stop& stop)
      : data_(data),
        settings_(settings),
        stop_(stop),
        columns_(table.columns),
        rows_(data, settings.fractional && any_missing(columns_)),
        counter_(columns_, data.n_classes),
        search_(settings, stop),
        linear_(settings, columns_, stop),
        frontier_(settings.best_first) {}

  GrownTree run() {
    if (rows_.size() == 0) throw std::invalid_argument("no row has weight");
    std::vector<std::int32_t> columns(columns_.size());
    std::iota(columns.begin(), columns.end(), 0);
    // Columns with buckets come last: a good score to beat spares most of the work on them. C4.5
    // takes the first of nearly equal columns, so there the order stays.
    if (settings_.rules == Rules::kParts)
      std::stable_partition(columns.begin(), columns.end(), [&](std::int32_t c) {
        return columns_[static_cast<std::size_t>(c)].bucket_bits() == 0;
      });
    std::vector<Waiting> roots;
    for (RowSet& rows : rows_.starts()) {
      Waiting& root = roots.emplace_back();
      root.node = add_node(rows);
      root.rows = std::move(rows);
      root.seed = data_.starts.empty() ? settings_.seed : mix(settings_.seed, roots.size());
      root.columns = columns;
    }
    auto leaves = static_cast<std::int64_t>(roots.size());
    for (std::size_t t = roots.size(); t-- > 0;) consider(std::move(roots[t]));
    while (!frontier_.empty()) {
      if (settings_.max_leaves >= 0 && leaves >= settings_.max_leaves) break;
      if (stop_.requested()) break;
      Waiting node = frontier_.pop();
      if (settings_.max_leaves >= 0 && leaves + node.test.n_children - 1 > settings_.max_leaves)
        continue;
      leaves += node.test.n_children - 1;
      split(std::move(node));
    }
    tree_.complete = !stop_.timed_out();
    lay_out();
    return std::move(tree_);
  }

 private:
  static bool any_missing(const std::vector<CodedColumn>& columns) {
    return std::any_of(columns.begin(), columns.end(),
                       [](const CodedColumn& column) { return column.has_missing(); });
  }

  // Adds a leaf with the classes of its rows.
  std::int32_t add_node(const RowSet& set) {
    const auto k = static_cast<std::size_t>(data_.n_classes);
    const auto node = static_cast<std::int32_t>(tree_.kind.size());
    if (node == std::numeric_limits<std::int32_t>::max())
      throw std::invalid_argument("the tree has too many nodes");
    tree_.kind.push_back(kLeaf);
    tree_.column.push_back(-1);
    tree_.low.push_back(-std::numeric_limits<double>::infinity());
    tree_.high.push_back(std::numeric_limits<double>::infinity());
    tree_.missing_child.push_back(kStopHere);
    tree_.unseen_child.push_back(kStopHere);
    tree_.score.push_back(0.0);
    tree_.counts.resize(tree_.counts.size() + k, 0.0);
    double* counts = tree_.counts.data() + static_cast<std::size_t>(node) * k;
    const NodeRows rows = rows_.view(set);
    if (rows.weights.empty()) {
      class_counts_.assign(k, 0);
      for (const std::int32_t cls : rows.classes) ++class_counts_[static_cast<std::size_t>(cls)];
      std::copy(class_counts_.begin(), class_counts_.end(), counts);
    } else {
      for (std::size_t i = 0; i < rows.size(); ++i) counts[rows.classes[i]] += rows.weights[i];
    }
    tree_.weight.push_back(std::accumulate(counts, counts + k, 0.0));
    tree_.label.push_back(static_cast<std::int32_t>(std::max_element(counts, counts + k) - counts));
    tests_.emplace_back();
    return node;
  }

  std::span<const double> counts_of(std::int32_t node) const {
    const auto k = static_cast<std::size_t>(data_.n_classes);
    return {tree_.counts.data() + static_cast<std::size_t>(node) * k, k};
  }

  // Rows, by weight where they are shared out.
  double size_of(const Waiting& node) const {
    return settings_.fractional ? tree_.weight[static_cast<std::size_t>(node.node)]
                                : static_cast<double>(node.rows.end - node.rows.begin);
  }

  bool may_be_split(const Waiting& node) const {
    if (settings_.max_depth >= 0 && node.depth >= settings_.max_depth) return false;
    const double slack = settings_.fractional ? 1e-6 : 0.0;
    if (size_of(node) < settings_.min_split - slack) return false;
    const auto counts = counts_of(node.node);
    const auto classes = std::count_if(counts.begin(), counts.end(), [](double c) { return c > 0; });
    if (classes < 2) return false;
    if (settings_.rules == Rules::kC45) {  // pure to within WEKA's tolerance
      const double most = *std::max_element(counts.begin(), counts.end());
      return tree_.weight[static_cast<std::size_t>(node.node)] - most > 1e-6;
    }
    return true;
  }

  bool keeps_histograms() const {
    return rows_.unit_weights() && settings_.max_columns < 0;
  }

  // Looks for a test, and puts the node on the frontier if it has one.
  void consider(Waiting node) {
    if (!may_be_split(node)) return;
    PresentClasses& present = present_classes_;
    present.classes.clear();
    const auto counts = counts_of(node.node);
    present.position.assign(counts.size(), -1);
    for (std::size_t l = 0; l < counts.size(); ++l) {
      if (!(counts[l] > 0.0)) continue;
      present.position[l] = static_cast<std::int32_t>(present.classes.size());
      present.classes.push_back(static_cast<std::int32_t>(l));
    }
    NodeRows rows = rows_.view(node.rows);
    rows.fractional = settings_.fractional && settings_.rules == Rules::kParts;
    if (node.histogram.empty() && keeps_histograms() && counter_.worth_keeping(rows.size()))
      node.histogram = counter_.count(rows, node.columns, rows.size());
    if (settings_.rules == Rules::kC45)
      choose_by_c45(node, rows, present);
    else if (settings_.selection == Selection::kSignificance)
      choose_by_significance(node, rows, present);
    else if (settings_.selection == Selection::kAverageGain)
      choose_by_average_gain(node, rows, present);
    else
      choose_by_score(node, rows, present);
    if (!node.test.found() || stop_.requested()) return;
    const bool scales = settings_.criterion->traits().scales_with_weight;
    node.worth = node.test.score *
                 (scales ? 1.0 : tree_.weight[static_cast<std::size_t>(node.node)]);
    frontier_.push(std::move(node));
  }

  // The columns to look at, in order: all, or some drawn at random. Valid until the next call.
  const std::vector<std::int32_t>& columns_to_try(const Waiting& node) {
    drawn_ = node.columns;
    if (settings_.max_columns < 0) return drawn_;
    drawn_.resize(columns_.size());
    std::iota(drawn_.begin(), drawn_.end(), 0);
    Random(mix(node.seed, 0)).shuffle(drawn_);
    return drawn_;
  }

  void choose_by_score(Waiting& node, const NodeRows& rows, const PresentClasses& present) {
    const bool random_tree = settings_.rules == Rules::kRandomTree;
    std::vector<std::int32_t> varying;
    const auto try_planes = [&] {
      for (Candidate& candidate : linear_candidates(node, rows, present, varying))
        take_if_better(node, std::move(candidate));
    };
    std::int32_t tried = 0;
    bool enough = false;
    for (std::int32_t c : columns_to_try(node)) {
      // Planes go through the columns that were drawn; others count only where these have no test.
      if (tried == settings_.max_columns) try_planes();
      enough = settings_.max_columns >= 0 && tried++ >= settings_.max_columns && node.test.found();
      if (enough) break;
      bool varies = true;
      Candidate candidate = random_tree ? candidate_of_random_tree(node, rows, present, c)
                                        : candidate_of_parts(node, rows, present, c, varies);
      if (varies) varying.push_back(c);
      if (stop_.requested(static_cast<std::int64_t>(rows.size()))) return;
      candidate.column = c;
      if (random_tree && !(candidate.score > kPositiveGain)) continue;
      take_if_better(node, std::move(candidate));
    }
    if (!enough) try_planes();
    if (stop_.requested()) return;
    if (settings_.max_columns < 0) node.columns = std::move(varying);
    if (node.test.screened) search_thoroughly(node, rows, present);
  }

  void take_if_better(Waiting& node, Candidate candidate) const {
    if (candidate.found() && candidate.score >= settings_.min_gain - kRounding &&
        better(candidate, node.test))
      node.test = std::move(candidate);
  }

  // Tests of several columns; as columns they count behind all others.
  std::vector<Candidate> linear_candidates(const Waiting& node, const NodeRows& rows,
                                           const PresentClasses& present,
                                           std::span<const std::int32_t> columns) {
    if (settings_.linear == nullptr) return {};
    auto found = linear_.candidates(rows, present, columns, mix(node.seed, columns_.size() + 1));
    std::int32_t place = static_cast<std::int32_t>(columns_.size());
    for (Candidate& candidate : found) {
      // A plane that leaves the rows as they are tells nothing, whatever score it is given.
      candidate.column = place++;
      if (!(candidate.score > kRounding)) candidate.kind = kLeaf;
    }
    return found;
  }

  // C4.5's guard against ratios of tiny gains: only tests of at least average gain compete.
  void choose_by_average_gain(Waiting& node, const NodeRows& rows, const PresentClasses& present) {
    std::vector<Candidate> candidates;
    std::vector<std::int32_t> varying;
    const auto try_planes = [&] {
      for (Candidate& candidate : linear_candidates(node, rows, present, varying))
        if (candidate.found()) candidates.push_back(std::move(candidate));
    };
    std::int32_t tried = 0;
    bool enough = false;
    for (std::int32_t c : columns_to_try(node)) {
      if (tried == settings_.max_columns) try_planes();
      enough = settings_.max_columns >= 0 && tried++ >= settings_.max_columns && !candidates.empty();
      if (enough) break;
      bool varies = true;
      Candidate candidate = candidate_of_parts(node, rows, present, c, varies);
      if (varies) varying.push_back(c);
      if (stop_.requested(static_cast<std::int64_t>(rows.size()))) return;
      candidate.column = c;
      if (candidate.found()) candidates.push_back(std::move(candidate));
    }
    if (!enough) try_planes();
    if (stop_.requested()) return;
    if (settings_.max_columns < 0) node.columns = std::move(varying);
    double average = 0.0;
    for (Candidate& candidate : candidates) {
      candidate.gain = gain_of(candidate, rows, present);
      average += candidate.gain / static_cast<double>(candidates.size());
    }
    for (Candidate& candidate : candidates)
      if (candidate.gain >= average - kRounding) take_if_better(node, std::move(candidate));
    if (node.test.screened) search_thoroughly(node, rows, present);
  }

  // Information gain of a test; rows that cannot answer it gain nothing.
  double gain_of(const Candidate& test, const NodeRows& rows, const PresentClasses& present) {
    const std::size_t k = present.classes.size();
    const auto n_children = static_cast<std::size_t>(test.n_children);
    std::vector<double> counts((n_children + 1) * k, 0.0);  // children, then all of them
    if (test.kind != kLinear) fill_child_of(test, columns_[static_cast<std::size_t>(test.column)]);
    double total = 0.0;  // of all rows
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double weight = rows.weights.empty() ? 1.0 : rows.weights[i];
      total += weight;
      const std::int32_t child =
          test.kind == kLinear
              ? test.children[i]
              : child_of_[static_cast<std::size_t>(
                    columns_[static_cast<std::size_t>(test.column)].codes()[rows.rows[i]] + 1)];
      if (child < 0) continue;
      const auto cls = static_cast<std::size_t>(
          present.position[static_cast<std::size_t>(rows.classes[i])]);
      counts[static_cast<std::size_t>(child) * k + cls] += weight;
      counts[n_children * k + cls] += weight;
    }
    const XLogX& x_log_x = XLogX::table();
    const auto uncertainty = [&](std::size_t group) {  // entropy times weight
      double total = 0.0, sum = 0.0;
      for (std::size_t l = 0; l < k; ++l) {
        total += counts[group * k + l];
        sum += x_log_x(counts[group * k + l]);
      }
      return x_log_x(total) - sum;
    };
    double gain = uncertainty(n_children);
    for (std::size_t c = 0; c < n_children; ++c) gain -= uncertainty(c);
    return gain / total;
  }

  Candidate candidate_of_parts(const Waiting& node, const NodeRows& rows,
                               const PresentClasses& present, std::int32_t c, bool& varies) {
    const auto column = static_cast<std::size_t>(c);
    if (columns_[column].ordered() && !settings_.thresholds) return {};
    if (columns_[column].ordered() && settings_.criterion->traits().impurity_gain) {
      Candidate found;
      const auto counts = counts_of(node.node);
      if (const auto* buckets = counter_.buckets(rows, column, node.histogram)) {
        const double to_beat = node.test.found() ? node.test.score : settings_.min_gain;
        found = search_.wide(rows, buckets, counts, columns_[column], to_beat);
      } else if (const auto* cells = counter_.cells(rows, column, node.histogram)) {
        found = search_.ordered(cells, counts, columns_[column], varies);
      } else {
        return candidate_of_table(node, rows, present, column, varies);
      }
      if (settings_.fractional) found.missing_child = kFractional;  // if any comes later
      return found;
    }
    return candidate_of_table(node, rows, present, column, varies);
  }

  Candidate candidate_of_table(const Waiting& node, const NodeRows& rows,
                               const PresentClasses& present, std::size_t column, bool& varies) {
    counter_.tabulate(rows, column, present, node.histogram, table_);
    varies = table_.size() > 1 || (table_.size() == 1 && table_.missing_rows > 0.0);
    if (!varies) return {};
    return search_.best(table_, columns_[column], mix(node.seed, column + 1), false);
  }

  Candidate candidate_of_random_tree(const Waiting& node, const NodeRows& rows,
                                     const PresentClasses& present, std::int32_t c) {
    const auto column = static_cast<std::size_t>(c);
    counter_.tabulate(rows, column, present, node.histogram, table_);
    return random_tree_candidate(table_, columns_[column]);
  }

  bool better(const Candidate& candidate, const Candidate& best) const {
    if (!best.found()) return true;
    const double margin = kEqual * std::max(std::abs(candidate.score), std::abs(best.score));
    if (candidate.score > best.score + margin) return true;
    return candidate.score >= best.score - margin && candidate.column < best.column;
  }

  void search_thoroughly(Waiting& node, const NodeRows& rows, const PresentClasses& present) {
    const auto column = static_cast<std::size_t>(node.test.column);
    counter_.tabulate(rows, column, present, node.histogram, table_);
    Candidate candidate = search_.best(table_, columns_[column],
                                       mix(node.seed, column + 1), true);
    candidate.column = node.test.column;
    if (candidate.found() && candidate.score > node.test.score) node.test = std::move(candidate);
  }

  void choose_by_c45(Waiting& node, const NodeRows& rows, const PresentClasses& present) {
    std::vector<Candidate> candidates;
    for (std::int32_t c : node.columns) {
      const auto column = static_cast<std::size_t>(c);
      counter_.tabulate(rows, column, present, node.histogram, table_);
      if (table_.size() < 2) continue;
      candidates.push_back(
          c45_candidate(table_, columns_[column], settings_.min_leaf, data_.n_classes));
      candidates.back().column = c;
      if (stop_.requested(static_cast<std::int64_t>(rows.size()))) return;
    }
    const std::int32_t best = c45_choice(candidates, columns_, rows_.size());
    if (best >= 0) node.test = std::move(candidates[static_cast<std::size_t>(best)]);
  }

  // The column that depends most significantly on the classes; the next one where that column
  // cannot be split.
  void choose_by_significance(Waiting& node, const NodeRows& rows, const PresentClasses& present) {
    std::vector<std::pair<double, std::int32_t>> tested;
    std::vector<std::int32_t> varying;
    std::int32_t tried = 0;
    for (std::int32_t c : columns_to_try(node)) {
      if (settings_.max_columns >= 0 && tried++ >= settings_.max_columns && !tested.empty()) break;
      const auto column = static_cast<std::size_t>(c);
      counter_.tabulate(rows, column, present, node.histogram, table_);
      if (table_.size() < 2) continue;
      varying.push_back(c);
      tested.emplace_back(log_p(columns_[column]), c);
      if (stop_.requested(static_cast<std::int64_t>(rows.size()))) return;
    }
    if (settings_.max_columns < 0) node.columns = varying;
    std::sort(tested.begin(), tested.end());
    const auto n_tests = static_cast<double>(tested.size());
    for (const auto& [significance, c] : tested) {
      const double p = std::exp(significance);
      const double adjusted = settings_.bonferroni ? -std::expm1(n_tests * std::log1p(-p)) : p;
      if (p < 1.0 ? adjusted > settings_.max_p : settings_.max_p < 1.0) return;
      const auto column = static_cast<std::size_t>(c);
      counter_.tabulate(rows, column, present, node.histogram, table_);
      Candidate candidate = search_.best(table_, columns_[column],
                                         mix(node.seed, static_cast<std::uint64_t>(c) + 1), true);
      if (stop_.requested(static_cast<std::int64_t>(rows.size()))) return;
      if (!candidate.found() || candidate.score < settings_.min_gain - kRounding) continue;
      candidate.column = c;
      node.test = std::move(candidate);
      return;
    }
  }

  // Of conditional inference between the column tabulated and the classes.
  double log_p(const CodedColumn& column) const {
    if (column.ordered()) {
      std::vector<double> numbers, weights;
      std::vector<int> classes;
      for (std::size_t i = 0; i < table_.size(); ++i)
        for (std::size_t l = 0; l < table_.n_classes; ++l) {
          if (!(table_.entry(i)[l] > 0.0)) continue;
          numbers.push_back(column.number(table_.values[i]));
          classes.push_back(static_cast<int>(l));
          weights.push_back(table_.entry(i)[l]);
        }
      return conditional_test_numeric(numbers, classes, weights,
                                      static_cast<int>(table_.n_classes)).log_p;
    }
    return conditional_test(table_.entries, table_.size(), table_.n_classes).log_p;
  }

  void split(Waiting node) {
    const auto i = static_cast<std::size_t>(node.node);
    Candidate& test = node.test;
    std::vector<RowSet> dealt = deal(node);
    tree_.kind[i] = test.kind;
    tree_.column[i] = test.kind == kLinear ? -1 : test.column;
    tree_.score[i] = test.score;
    tree_.missing_child[i] = test.missing_child;
    if (test.kind == kInterval)
      tree_.high[i] = threshold_of(test, columns_[static_cast<std::size_t>(test.column)]);
    std::vector<Waiting> children(dealt.size());
    for (std::size_t c = 0; c < dealt.size(); ++c) {
      children[c].node = add_node(dealt[c]);
      children[c].depth = node.depth + 1;
      children[c].seed = mix(node.seed, columns_.size() + 2 + c);
      children[c].rows = std::move(dealt[c]);
      if (settings_.max_columns < 0) children[c].columns = node.columns;
      // A child that no row reached answers as its parent would.
      if (!(tree_.weight[static_cast<std::size_t>(children[c].node)] > 0.0))
        tree_.label[static_cast<std::size_t>(children[c].node)] = tree_.label[i];
      tests_[i].children.push_back(children[c].node);
    }
    choose_sides(i, children);
    if (test.kind == kLinear) {
      tests_[i].terms = std::move(test.terms);
      tests_[i].intercept = test.intercept;
    } else {
      tests_[i].values = std::move(test.values);
      tests_[i].value_children = std::move(test.children);
    }
    hand_down_histogram(node, children);
    // The last one pushed is split next: the first child.
    for (std::size_t c = children.size(); c-- > 0;) consider(std::move(children[c]));
  }

  std::vector<RowSet> deal(Waiting& node) {
    const Candidate& test = node.test;
    if (test.kind == kLinear) return rows_.deal_as(node.rows, test.children);
    const CodedColumn& column = columns_[static_cast<std::size_t>(test.column)];
    if (test.kind == kInterval && rows_.in_place())
      return rows_.deal_at(node.rows, column.codes(), test.last_left, child_of_missing(test));
    fill_child_of(test, column);
    return rows_.deal(std::move(node.rows), column.codes(), child_of_, test.n_children);
  }

  static std::int32_t child_of_missing(const Candidate& test) {
    return test.missing_child == kStopHere ? 0 : test.missing_child;
  }

  // Code + 1 -> child. Codes that are not present keep whatever they had: no row asks.
  void fill_child_of(const Candidate& test, const CodedColumn& column) {
    child_of_.resize(static_cast<std::size_t>(column.n_values()) + 1);
    child_of_[0] = child_of_missing(test);
    if (test.kind == kInterval) {
      const auto left = static_cast<std::ptrdiff_t>(test.last_left) + 2;
      std::fill(child_of_.begin() + 1, child_of_.begin() + left, 0);
      std::fill(child_of_.begin() + left, child_of_.end(), 1);
    } else {
      for (std::size_t v = 0; v < test.values.size(); ++v)
        child_of_[static_cast<std::size_t>(test.values[v]) + 1] = test.children[v];
    }
  }

  // C4.5's threshold is a number of the rows it grew from, which may be few of the table's.
  double threshold_of(const Candidate& test, const CodedColumn& column) {
    if (settings_.rules != Rules::kC45 || data_.rows.empty() || !column.is_numeric())
      return test.high;
    auto& present = present_[test.column];
    if (present.empty()) {
      present.resize(static_cast<std::size_t>(column.n_values()) + 1);
      for (const std::int32_t row : data_.rows)
        present[static_cast<std::size_t>(column.codes()[row] + 1)] = true;
    }
    std::int32_t code = column.code_of(test.high);
    while (!present[static_cast<std::size_t>(code) + 1]) --code;
    return column.number(code);
  }

  // Where rows go that the test cannot place.
  void choose_sides(std::size_t i, const std::vector<Waiting>& children) {
    std::int32_t heavier = 0;
    for (std::size_t c = 1; c < children.size(); ++c) {
      const auto weight = [&](std::size_t x) {
        return tree_.weight[static_cast<std::size_t>(children[x].node)];
      };
      if (weight(c) > weight(static_cast<std::size_t>(heavier))) heavier = static_cast<std::int32_t>(c);
    }
    std::int32_t& missing = tree_.missing_child[i];  // learned, if rows told
    const bool unmet = missing == kStopHere;
    if (unmet) missing = heavier;
    switch (settings_.unseen) {
      case GrowSettings::Unseen::kStop: tree_.unseen_child[i] = kStopHere; break;
      case GrowSettings::Unseen::kLikeMissing: tree_.unseen_child[i] = missing; break;
      case GrowSettings::Unseen::kHeavier: tree_.unseen_child[i] = heavier; break;
    }
    if (unmet && settings_.missing_is_value && tree_.kind[i] != kInterval)
      missing = tree_.unseen_child[i];
  }

  // All children but the largest are counted; the largest gets what is left of the parent's.
  void hand_down_histogram(Waiting& node, std::vector<Waiting>& children) {
    if (node.histogram.empty()) return;
    std::size_t largest = 0;
    const auto size = [&](std::size_t c) { return children[c].rows.end - children[c].rows.begin; };
    for (std::size_t c = 1; c < children.size(); ++c)
      if (size(c) > size(largest)) largest = c;
    if (!may_be_split(children[largest]) || !counter_.worth_keeping(size(largest))) return;
    for (std::size_t c = 0; c < children.size(); ++c) {
      if (c == largest || size(c) == 0) continue;
      Histogram counted =
          counter_.count(rows_.view(children[c].rows), node.columns, size(largest));
      counter_.subtract(node.histogram, counted, size(largest));
      if (may_be_split(children[c])) children[c].histogram = std::move(counted);
    }
    children[largest].histogram = std::move(node.histogram);
  }

  // Lists of different length, end to end.
  void lay_out() {
    for (const Test& test : tests_) {
      tree_.children.insert(tree_.children.end(), test.children.begin(), test.children.end());
      tree_.child_offset.push_back(static_cast<std::int32_t>(tree_.children.size()));
      tree_.value_code.insert(tree_.value_code.end(), test.values.begin(), test.values.end());
      tree_.value_child.insert(tree_.value_child.end(), test.value_children.begin(),
                               test.value_children.end());
      if (tree_.value_code.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
        throw std::invalid_argument("the tests of the tree list too many values");
      tree_.value_offset.push_back(static_cast<std::int32_t>(tree_.value_code.size()));
      for (const LinearTerm& term : test.terms) {
        tree_.term_column.push_back(term.column);
        tree_.term_value.push_back(term.value);
        tree_.term_weight.push_back(term.weight);
        tree_.term_fill.push_back(term.fill);
      }
      tree_.term_offset.push_back(static_cast<std::int32_t>(tree_.term_column.size()));
      tree_.intercept.push_back(test.intercept);
    }
  }

  struct Test {
    std::vector<std::int32_t> children, values, value_children;
    std::vector<LinearTerm> terms;
    double intercept = 0.0;
  };

  const GrowData& data_;
  const GrowSettings& settings_;
  Stop& stop_;
  const std::vector<CodedColumn>& columns_;
  RowStore rows_;
  Counter counter_;
  Search search_;
  LinearSearch linear_;
  Frontier frontier_;
  GrownTree tree_;
  std::vector<Test> tests_;  // of each node, until they are laid out
  ValueTable table_;
  std::vector<std::int32_t> child_of_, drawn_;
  std::vector<std::uint32_t> class_counts_;
  PresentClasses present_classes_;
  std::unordered_map<std::int32_t, std::vector<bool>> present_;  // of a column: code + 1
};

void check_data(const CodedTable& table, const GrowData& data) {
  if (data.classes.size() != table.n_rows)
    throw std::invalid_argument("one class is needed for each row");
  if (!data.weights.empty() && data.weights.size() != table.n_rows)
    throw std::invalid_argument("one weight is needed for each row");
  for (const std::int32_t cls : data.classes)
    if (cls < 0 || cls >= data.n_classes) throw std::invalid_argument("a class is out of range");
  for (const double weight : data.weights)
    if (!(weight >= 0.0) || std::isinf(weight))
      throw std::invalid_argument("weights must be finite and zero or more");
  for (const std::int32_t row : data.rows)
    if (row < 0 || static_cast<std::size_t>(row) >= table.n_rows)
      throw std::invalid_argument("a row is not one of the table");
  if (data.starts.empty()) return;
  if (data.starts.size() < 2 || data.starts.front() != 0 ||
      data.starts.back() != static_cast<std::int64_t>(data.rows.size()) ||
      !std::is_sorted(data.starts.begin(), data.starts.end()))
    throw std::invalid_argument("starts must rise from 0 to the number of rows");
}

}  // namespace

GrownTree grow(const CodedTable& table, const GrowData& data, const GrowSettings& settings,
               Stop& stop) {
  if (settings.criterion == nullptr || settings.partitioner == nullptr)
    throw std::invalid_argument("a criterion and a partitioner are needed");
  check_data(table, data);
  return Grower(table, data, settings, stop).run();
}

}  // namespace mixedwood
