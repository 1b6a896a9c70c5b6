#include "value_groups.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace mixedwood::partitioners {
namespace {

// C4.5 wants the ratio to rise by this much.
constexpr double kRise = 1e-5;
constexpr std::size_t kMostGroups = 5'000;  // 0.4 GB of pairs
// One group has all rows, but for rounding.
constexpr double kNoInformation = 1e-12;
// Ratios closer than this, relative to the larger, are equal.
constexpr double kEqual = 1e-9;

double x_log_x(double x) { return x > 0.0 ? x * std::log2(x) : 0.0; }

class Groups {
 public:
  Groups(const ValuesToGroup& values, Stop& stop)
      : k_(values.n_classes), missing_(values.missing), min_size_(values.min_size) {
    // Parts of all weight: the scale of the weights is not felt.
    double total = missing_;
    for (const double c : values.entries) total += c;
    missing_ /= total;
    Group known;
    known.counts.assign(k_, 0.0);
    for (std::size_t i = 0; i < values.entries.size(); ++i)
      known.counts[i % k_] += values.entries[i] / total;
    weigh(known);
    before_ = known.entropy;
    make_groups(values, total, count_classes(known.counts) > 1);
    if (groups_.size() > kMostGroups) {
      throw std::invalid_argument(
          "merging groups of " + std::to_string(groups_.size()) + " values takes too long; it is "
          "done for at most " + std::to_string(kMostGroups) +
          " values that are not of a single class. Use partitioner='auto' or 'multiway'.");
    }
    pairs_.resize(groups_.size() * groups_.size());
    for (std::size_t a = 0; a < groups_.size(); ++a) {
      alive_.push_back(a);
      for (std::size_t b = a + 1; b < groups_.size(); ++b) weigh_pair(a, b);
      if (stop.requested(static_cast<std::int64_t>((groups_.size() - a) * k_))) throw Stopped{};
    }
  }

  // Returns false when stopped early.
  bool merge_while_better(Stop& stop) {
    while (alive_.size() > 2) {
      const auto large = std::count_if(alive_.begin(), alive_.end(), [&](std::size_t a) {
        return groups_[a].size >= min_size_;
      });
      if (!merge_best(large >= 3, large >= 2)) break;
      if (stop.requested(static_cast<std::int64_t>(alive_.size() * alive_.size() + k_))) return false;
    }
    return true;
  }

  std::vector<int> labels(std::size_t n) const {
    std::vector<int> label(n);
    int next = 0;
    for (const std::size_t a : alive_) {
      for (const std::size_t value : groups_[a].values) label[value] = next;
      ++next;
    }
    return label;
  }

 private:
  struct Group {
    std::vector<std::size_t> values;
    std::vector<double> counts;
    double weight = 0.0, size = 0.0;
    double entropy = 0.0;      // times weight
    double information = 0.0;  // x log x of the weight
  };
  // What merging two groups adds to the entropy of the children, and to the sum of x log x.
  struct Pair {
    double entropy = 0.0, information = 0.0;
  };

  static std::ptrdiff_t count_classes(std::span<const double> counts) {
    return std::count_if(counts.begin(), counts.end(), [](double c) { return c > 0.0; });
  }
  static std::size_t largest(std::span<const double> entry) {
    return static_cast<std::size_t>(std::max_element(entry.begin(), entry.end()) - entry.begin());
  }
  static void weigh(Group& group) {
    group.weight = 0.0;
    double sum = 0.0;
    for (const double c : group.counts) {
      group.weight += c;
      sum += x_log_x(c);
    }
    group.information = x_log_x(group.weight);
    group.entropy = group.information - sum;
  }
  // One for each value, or for all pure values of a class.
  void make_groups(const ValuesToGroup& values, double total, bool merge_pure) {
    std::vector<std::ptrdiff_t> of_class(k_, -1);
    for (std::size_t i = 0; i * k_ < values.entries.size(); ++i) {
      const auto entry = values.entries.subspan(i * k_, k_);
      std::ptrdiff_t fresh = -1;
      std::ptrdiff_t& place =
          merge_pure && count_classes(entry) < 2 ? of_class[largest(entry)] : fresh;
      if (place < 0) {
        place = static_cast<std::ptrdiff_t>(groups_.size());
        groups_.emplace_back().counts.assign(k_, 0.0);
      }
      Group& group = groups_[static_cast<std::size_t>(place)];
      group.values.push_back(i);
      for (std::size_t l = 0; l < k_; ++l) group.counts[l] += entry[l] / total;
      if (!values.sizes.empty()) group.size += values.sizes[i];
    }
    for (Group& group : groups_) weigh(group);
  }
  Pair& pair(std::size_t a, std::size_t b) {
    return pairs_[std::min(a, b) * groups_.size() + std::max(a, b)];
  }
  void weigh_pair(std::size_t a, std::size_t b) {
    const Group &one = groups_[a], &other = groups_[b];
    double sum = 0.0;
    for (std::size_t l = 0; l < k_; ++l) sum += x_log_x(one.counts[l] + other.counts[l]);
    const double information = x_log_x(one.weight + other.weight);
    pair(a, b) = {information - sum - one.entropy - other.entropy,
                  information - one.information - other.information};
  }

  static double ratio(double saved, double information) {
    return information > kNoInformation ? std::clamp(saved / information, 0.0, 1.0) : 0.0;
  }

  // Merges the best pair; false where no merging is better than none, and none is due.
  bool merge_best(bool any, bool may_stop) {
    double saved = before_, information = -x_log_x(missing_);
    std::size_t heaviest = alive_.front();
    for (const std::size_t a : alive_) {
      saved -= groups_[a].entropy;
      information -= groups_[a].information;
      if (groups_[a].weight > groups_[heaviest].weight) heaviest = a;
    }
    double best = -1.0;
    std::size_t first = 0, second = 0;
    for (std::size_t i = 0; i < alive_.size(); ++i) {
      if (!any && alive_[i] == heaviest) continue;
      for (std::size_t j = i + 1; j < alive_.size(); ++j) {
        if (!any && alive_[j] == heaviest) continue;
        const Pair& merged = pair(alive_[i], alive_[j]);
        const double worth = ratio(saved - merged.entropy, information - merged.information);
        if (worth <= best * (1.0 + kEqual)) continue;
        best = worth;
        first = i;
        second = j;
      }
    }
    if (may_stop && best < ratio(saved, information) + kRise) return false;
    merge(first, second);
    return true;
  }

  void merge(std::size_t i, std::size_t j) {
    Group &kept = groups_[alive_[i]], &gone = groups_[alive_[j]];
    kept.values.insert(kept.values.end(), gone.values.begin(), gone.values.end());
    for (std::size_t l = 0; l < k_; ++l) kept.counts[l] += gone.counts[l];
    kept.size += gone.size;
    weigh(kept);
    alive_.erase(alive_.begin() + static_cast<std::ptrdiff_t>(j));
    for (std::size_t b = 0; b < alive_.size(); ++b)
      if (b != i) weigh_pair(alive_[i], alive_[b]);
  }

  std::size_t k_;
  double missing_, min_size_;
  double before_ = 0.0;  // entropy of the known rows, times weight
  std::vector<Group> groups_;
  std::vector<Pair> pairs_;
  std::vector<std::size_t> alive_;  // groups not merged into others, by first values
};

}  // namespace

std::vector<int> group_by_gain_ratio(const ValuesToGroup& values, Stop& stop, bool& complete) {
  Groups groups(values, stop);
  complete = groups.merge_while_better(stop);
  return groups.labels(values.entries.size() / values.n_classes);
}

}  // namespace mixedwood::partitioners
