#include "mixedwood/registry.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "acceptors/acceptors.hpp"
#include "criteria/criteria.hpp"
#include "partitioners/partitioners.hpp"

namespace mixedwood {
namespace {

const std::array kCriteria = {
    CriterionInfo{"gini", "Gini gain; with misclassification costs if given", true, make_gini},
    CriterionInfo{"entropy", "information gain, in bits", false, make_entropy},
    CriterionInfo{"gain_ratio", "information gain over the entropy of the group sizes", false,
                  make_gain_ratio},
    CriterionInfo{"twoing", "separation of the best two superclasses", false, make_twoing},
    CriterionInfo{"squared_gini", "weight of the cut between the groups; costs if given", true,
                  make_squared_gini},
    CriterionInfo{"chi2", "chi-square summed over separated pairs of values", false, make_chi2},
};

const OptionInfo kScoredBy{"scored_by", 0, "what picks the prefix", {"criterion", "superclasses"}};
const OptionInfo kScores{"scores", 0, "what is projected on the axis", {"shares", "counts"}};
const OptionInfo kLocalSearch{
    "local_search", 1, "improve the cut by moves and exchanges", {"false", "true"}};

const std::array kPartitioners = {
    PartitionerInfo{"auto", "exact or nearly exact at an affordable cost", {}, make_auto,
                    {.exact = true, .may_hurry = true}},
    PartitionerInfo{"exact", "the best of all partitions", {}, make_exact, {.exact = true}},
    PartitionerInfo{"two_class_order", "order by the share of one of two classes", {},
                    make_two_class_order, {.exact = true}},
    PartitionerInfo{"twoing", "all superclasses, by the two-class gain; exact for twoing", {},
                    make_twoing},
    PartitionerInfo{"hypercube_cover",
                    "orders by every superclass; nearly exact for few classes",
                    {{"superclasses", 0, "which superclasses give an order", {"all", "single"}},
                     {"both_directions", 0, "scan each order in both directions",
                      {"false", "true"}}},
                    make_hypercube_cover},
    PartitionerInfo{"sliq", "move the best value while the score rises", {}, make_sliq},
    PartitionerInfo{"sliq_ext", "move the best value to the end, keep the best met", {},
                    make_sliq_ext},
    PartitionerInfo{"principal", "order along the first principal component of class shares",
                    {kScores}, make_principal},
    PartitionerInfo{"principal_ext", "principal, and exchanges at each cut", {kScores},
                    make_principal_ext},
    PartitionerInfo{"flip_flop", "values and superclasses improved in turn",
                    {{"start", 0, "first partition",
                      {"largest_alone", "list_scheduling", "first_value"}}},
                    make_flip_flop},
    PartitionerInfo{"largest_alone", "order by the share of the most frequent class", {kScoredBy},
                    make_largest_alone},
    PartitionerInfo{"list_scheduling", "order by the share of one of two balanced superclasses",
                    {kScoredBy}, make_list_scheduling},
    PartitionerInfo{"refined", "quick searches, each improved by moves of single values", {},
                    make_refined},
    PartitionerInfo{"max_cut", "heavy cut by greedy and local search", {kLocalSearch},
                    make_max_cut},
    PartitionerInfo{"max_cut_sdp", "heavy cut by semidefinite relaxation, with a bound",
                    {{"roundings", 100, "random hyperplanes tried", {}}, kLocalSearch},
                    make_max_cut_sdp},
    PartitionerInfo{"one_vs_rest", "one value against all others", {}, make_one_vs_rest,
                    {.fitted = Fitted::kValue}},
    PartitionerInfo{"natural_order", "prefixes of the values in the order given", {},
                    make_natural_order, {.fitted = Fitted::kCut}},
    // Drawn per tree by the grower, which turns the column into an ordered one; see growers/.
    PartitionerInfo{"random_order", "prefixes of a random order",
                    {{"per", 0, "how often an order is drawn", {"node", "tree"}}},
                    make_random_order, {.fitted = Fitted::kCut}},
    PartitionerInfo{"random_subset", "a random half of the values", {}, make_random_subset,
                    {.fitted = Fitted::kNothing}},
    PartitionerInfo{"multiway", "one group per value", {}, make_multiway,
                    {.fitted = Fitted::kNothing, .many_groups = true}},
};

const std::array kAcceptors = {
    AcceptorInfo{"chi2", "the column depends on the classes: chi-square test with p < max_p",
                 "max_p", 0.1, 0.0, 1.0, make_chi2_acceptor},
    AcceptorInfo{"second_value", "the second most frequent value has at least min_weight rows",
                 "min_weight", 15.0, 0.0, 1e300, make_second_value_acceptor},
};

template <typename Infos>
const auto& find(const Infos& infos, std::string_view name, const char* kind) {
  std::string known;
  for (const auto& info : infos) {
    if (info.name == name) return info;
    known += (known.empty() ? "'" : ", '") + info.name + "'";
  }
  throw std::invalid_argument(std::string(kind) + "='" + std::string(name) +
                              "' is not known. Use one of " + known + ".");
}

std::string accepted(const OptionInfo& option) {
  if (option.choices.empty()) return "a whole number from 1 to 1000000";
  std::string text;
  for (const auto& choice : option.choices) text += (text.empty() ? "'" : ", '") + choice + "'";
  return text;
}

bool is_valid(const OptionInfo& option, double value) {
  if (value != std::floor(value)) return false;
  if (option.choices.empty()) return value >= 1.0 && value <= 1e6;
  return value >= 0.0 && value < static_cast<double>(option.choices.size());
}

}  // namespace

std::span<const CriterionInfo> criteria() { return kCriteria; }
std::span<const PartitionerInfo> partitioners() { return kPartitioners; }
std::span<const AcceptorInfo> acceptors() { return kAcceptors; }

const CriterionInfo& criterion_info(std::string_view name) {
  return find(kCriteria, name, "criterion");
}
const PartitionerInfo& partitioner_info(std::string_view name) {
  return find(kPartitioners, name, "partitioner");
}
const AcceptorInfo& acceptor_info(std::string_view name) {
  return find(kAcceptors, name, "acceptor");
}

std::unique_ptr<Partitioner> make_partitioner(std::string_view name, const Options& set) {
  const PartitionerInfo& info = partitioner_info(name);
  Options options;
  for (const auto& option : info.options) options[option.name] = option.default_value;
  for (const auto& [key, value] : set) {
    const auto option = std::find_if(info.options.begin(), info.options.end(),
                                     [&, &key = key](const OptionInfo& o) { return o.name == key; });
    if (option == info.options.end()) {
      std::string known;
      for (const auto& o : info.options) known += (known.empty() ? "'" : ", '") + o.name + "'";
      throw std::invalid_argument("partitioner='" + info.name + "' has no option '" + key + "'. " +
                                  (known.empty() ? "It has no options." : "It has " + known + "."));
    }
    if (!is_valid(*option, value)) {
      throw std::invalid_argument("option '" + key + "' of partitioner='" + info.name +
                                  "' must be " + accepted(*option) + ".");
    }
    options[key] = value;
  }
  return info.make(options);
}

}  // namespace mixedwood
