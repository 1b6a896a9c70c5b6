#include "mixedwood/registry.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace mixedwood {

// Each is defined in a file of the folder.
namespace criteria {
MakeCriterion make_chi2, make_entropy, make_gain_ratio, make_gini, make_pearson_chi2,
    make_squared_gini, make_twoing;
}
namespace partitioners {
MakePartitioner make_auto, make_c45_groups, make_exact, make_flip_flop, make_hypercube_cover, make_largest_alone,
    make_list_scheduling, make_max_cut, make_max_cut_sdp, make_multiway, make_natural_order,
    make_one_vs_rest, make_principal, make_principal_ext, make_random_order, make_random_subset,
    make_refined, make_sliq, make_sliq_ext, make_two_class_order, make_twoing;
}
namespace screeners {
MakeScreener make_chi2, make_second_value;
}

namespace {

const std::array kCriteria = {
    CriterionInfo{"gini", "Gini gain; with misclassification costs if given", criteria::make_gini, true},
    CriterionInfo{"entropy", "information gain, in bits", criteria::make_entropy},
    CriterionInfo{"gain_ratio", "information gain over the entropy of the group sizes", criteria::make_gain_ratio},
    CriterionInfo{"twoing", "separation of the best two superclasses", criteria::make_twoing},
    CriterionInfo{"squared_gini", "weight of the cut between the groups; costs if given", criteria::make_squared_gini, true},
    CriterionInfo{"chi2", "chi-square summed over separated pairs of values", criteria::make_chi2},
    CriterionInfo{"pearson_chi2", "Pearson's chi-square of groups and classes", criteria::make_pearson_chi2},
};

const OptionInfo kScoredBy{"scored_by", "criterion", "what picks the prefix", {"criterion", "superclasses"}};
const OptionInfo kScores{"scores", "proportions", "what is projected on the axis", {"proportions", "counts"}};
const OptionInfo kEdgeWeights{"weights", "criterion", "what weighs the pairs of values",
                              {"criterion", "squared_gini", "chi2", "gini", "entropy"}};
const OptionInfo kLocalSearch{"local_search", true, "improve the cut by moves and exchanges"};

const std::array kPartitioners = {
    PartitionerInfo{"auto", "exact or nearly exact at an affordable cost", {}, partitioners::make_auto,
                    {.exact = true, .allow_approximate = true}},
    PartitionerInfo{"exact", "the best of all partitions", {}, partitioners::make_exact, {.exact = true}},
    PartitionerInfo{"two_class_order", "order by the fraction of one of two classes", {},
                    partitioners::make_two_class_order, {.exact = true}},
    PartitionerInfo{"twoing", "all superclasses, by the two-class gain; exact for twoing", {},
                    partitioners::make_twoing},
    PartitionerInfo{"hypercube_cover",
                    "orders by every superclass; nearly exact for few classes",
                    {{"superclasses", "all", "which superclasses give an order", {"all", "single"}},
                     {"both_directions", false, "scan each order in both directions"}},
                    partitioners::make_hypercube_cover},
    PartitionerInfo{"sliq", "move the best value while the score rises", {}, partitioners::make_sliq},
    PartitionerInfo{"sliq_ext", "move the best value to the end, keep the best met", {},
                    partitioners::make_sliq_ext},
    PartitionerInfo{"principal", "order along the first principal component of class proportions",
                    {kScores}, partitioners::make_principal},
    PartitionerInfo{"principal_ext", "principal, and exchanges at each cut", {kScores},
                    partitioners::make_principal_ext},
    PartitionerInfo{"flip_flop", "values and superclasses improved in turn",
                    {{"start", "largest_alone", "first partition",
                      {"largest_alone", "list_scheduling", "first_value"}}},
                    partitioners::make_flip_flop},
    PartitionerInfo{"largest_alone", "order by the fraction of the most frequent class", {kScoredBy},
                    partitioners::make_largest_alone},
    PartitionerInfo{"list_scheduling", "order by the fraction of one of two balanced superclasses",
                    {kScoredBy}, partitioners::make_list_scheduling},
    PartitionerInfo{"refined", "approximate searches, each improved by moves of single values", {},
                    partitioners::make_refined},
    PartitionerInfo{"max_cut", "heavy cut by greedy and local search", {kLocalSearch, kEdgeWeights},
                    partitioners::make_max_cut},
    PartitionerInfo{"max_cut_sdp", "heavy cut by semidefinite relaxation, with a bound",
                    {{"roundings", std::int64_t{100}, "random hyperplanes tried"}, kLocalSearch, kEdgeWeights},
                    partitioners::make_max_cut_sdp},
    PartitionerInfo{"one_vs_rest", "one value against all others", {}, partitioners::make_one_vs_rest,
                    {.fitted = Fitted::kValue}},
    PartitionerInfo{"natural_order", "prefixes of the values in the order given", {},
                    partitioners::make_natural_order, {.fitted = Fitted::kCut}},
    // Drawn per tree by the grower, which turns the column into an ordered one; see grow/.
    PartitionerInfo{"random_order", "prefixes of a random order",
                    {{"per", "node", "how often an order is drawn", {"node", "tree"}}},
                    partitioners::make_random_order, {.fitted = Fitted::kCut}},
    PartitionerInfo{"random_subset", "a random half of the values", {}, partitioners::make_random_subset,
                    {.fitted = Fitted::kNothing}},
    PartitionerInfo{"multiway", "one group per value", {}, partitioners::make_multiway,
                    {.fitted = Fitted::kNothing, .many_groups = true}},
    PartitionerInfo{"c45_groups", "groups merged as in C4.5 while the gain ratio rises", {},
                    partitioners::make_c45_groups, {.fitted = Fitted::kGroups, .many_groups = true}},
};

const std::array kScreeners = {
    ScreenerInfo{"chi2", "the column depends on the classes: chi-square test with p < alpha",
                 {{"alpha", 0.1, "significance level", {}, 0.0, 1.0}}, screeners::make_chi2},
    ScreenerInfo{"second_value", "the second most frequent value has at least min_weight rows",
                 {{"min_weight", 15.0, "weight of its rows", {}, 0.0, 1e300}},
                 screeners::make_second_value},
};

template <typename Infos>
const auto& find(const Infos& infos, std::string_view name, const char* kind) {
  for (const auto& info : infos)
    if (info.name == name) return info;
  throw std::invalid_argument(std::string("there is no ") + kind + " '" + std::string(name) + "'");
}

// The part with the given options, and defaults for the others.
template <typename Info>
auto make(const Info& info, const Options& given) {
  Options options;
  for (const auto& option : info.options) options.set(option.name, option.default_value);
  for (const auto& [name, value] : given) {
    const auto option = std::find_if(info.options.begin(), info.options.end(),
                                     [&, &n = name](const OptionInfo& o) { return o.name == n; });
    if (option == info.options.end() || option->default_value.index() != value.index())
      throw std::invalid_argument("'" + info.name + "' has no option '" + name +
                                  "' of such a type");
    options.set(name, value);
  }
  return info.make(options);
}

}  // namespace

std::span<const CriterionInfo> known_criteria() { return kCriteria; }
std::span<const PartitionerInfo> known_partitioners() { return kPartitioners; }
std::span<const ScreenerInfo> known_screeners() { return kScreeners; }

const CriterionInfo& criterion_info(std::string_view name) {
  return find(kCriteria, name, "criterion");
}
std::unique_ptr<Partitioner> make_partitioner(std::string_view name, const Options& options) {
  const PartitionerInfo& info = find(kPartitioners, name, "partitioner");
  auto made = make(info, options);
  made->traits = info.traits;
  return made;
}
std::unique_ptr<Screener> make_screener(std::string_view name, const Options& options) {
  return make(find(kScreeners, name, "screener"), options);
}

}  // namespace mixedwood
