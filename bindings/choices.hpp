// Enumerations that cross as text: the only place where a choice and its name meet.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <string_view>

#include "mixedwood/gradient.hpp"
#include "mixedwood/discretize.hpp"
#include "mixedwood/grow.hpp"
#include "mixedwood/linear_model.hpp"
#include "mixedwood/regress.hpp"

namespace mixedwood {

template <typename Enum>
struct Choice {
  std::string_view name;
  Enum value;
};

}  // namespace mixedwood

namespace nanobind::detail {

// Nothing here allocates or throws: nanobind calls casters where nothing may.
template <typename Enum, const auto& kChoices>
struct ChoiceCaster {
  NB_TYPE_CASTER(Enum, const_name("str"))

  bool from_python(handle given, std::uint8_t, cleanup_list*) noexcept {
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(given.ptr(), &size);
    if (text == nullptr) {
      PyErr_Clear();
      return false;
    }
    for (const auto& choice : kChoices) {
      if (choice.name != std::string_view(text, static_cast<std::size_t>(size))) continue;
      value = choice.value;
      return true;
    }
    return false;
  }

  static handle from_cpp(Enum given, rv_policy, cleanup_list*) noexcept {
    for (const auto& [name, choice] : kChoices)
      if (choice == given)
        return PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size()));
    return {};
  }
};

}  // namespace nanobind::detail

#define MIXEDWOOD_CHOICES(Enum, ...)                                        \
  namespace mixedwood {                                                     \
  inline constexpr Choice<Enum> k##Enum##Choices[] = {__VA_ARGS__};         \
  }                                                                         \
  template <>                                                               \
  struct nanobind::detail::type_caster<mixedwood::Enum>                     \
      : ChoiceCaster<mixedwood::Enum, mixedwood::k##Enum##Choices> {}

MIXEDWOOD_CHOICES(Rules, {"parts", Rules::kParts}, {"c45", Rules::kC45},
                  {"random_tree", Rules::kRandomTree});
MIXEDWOOD_CHOICES(Selection, {"score", Selection::kScore}, {"adjusted", Selection::kAdjusted},
                  {"average_gain", Selection::kAverageGain},
                  {"significance", Selection::kSignificance});
MIXEDWOOD_CHOICES(HandleMissing, {"learned", HandleMissing::kLearned},
                  {"fractional", HandleMissing::kAllChildren},
                  {"category", HandleMissing::kCategory});
MIXEDWOOD_CHOICES(HandleUnknown, {"stop", HandleUnknown::kStopAtNode},
                  {"missing", HandleUnknown::kWithMissing},
                  {"majority", HandleUnknown::kMajority});
MIXEDWOOD_CHOICES(RegressionLoss, {"squared_error", RegressionLoss::kSquaredError},
                  {"poisson", RegressionLoss::kPoisson},
                  {"absolute_error", RegressionLoss::kAbsoluteError},
                  {"gini", RegressionLoss::kGini}, {"entropy", RegressionLoss::kEntropy});
MIXEDWOOD_CHOICES(RegressionPartitioner, {"mean_order", RegressionPartitioner::kMeanOrder},
                  {"one_vs_rest", RegressionPartitioner::kOneVsRest},
                  {"random_order", RegressionPartitioner::kRandomOrder},
                  {"random_subset", RegressionPartitioner::kRandomSubset},
                  {"exact", RegressionPartitioner::kExact});
MIXEDWOOD_CHOICES(CategoryOrder, {"sorted", CategoryOrder::kSorted},
                  {"random_per_tree", CategoryOrder::kRandomPerTree},
                  {"random_per_node", CategoryOrder::kRandomPerNode},
                  {"target_statistics", CategoryOrder::kTargetStatistics});
MIXEDWOOD_CHOICES(MultiClass, {"ovr", MultiClass::kOvr}, {"largest", MultiClass::kLargest},
                  {"balanced", MultiClass::kBalanced}, {"exhaustive", MultiClass::kExhaustive});
MIXEDWOOD_CHOICES(NodeFeatures, {"numeric", NodeFeatures::kNumeric}, {"all", NodeFeatures::kAll});
MIXEDWOOD_CHOICES(Intercept, {"model", Intercept::kModel}, {"best", Intercept::kBest});
MIXEDWOOD_CHOICES(ScoreOn, {"train", ScoreOn::kTrain}, {"validation", ScoreOn::kValidation});
MIXEDWOOD_CHOICES(LinearLoss, {"squared_hinge", LinearLoss::kSquaredHinge},
                  {"smooth_hinge", LinearLoss::kSmoothHinge},
                  {"sparse_hinge", LinearLoss::kSparseHinge},
                  {"logistic", LinearLoss::kLogistic}, {"fisher", LinearLoss::kFisher});
MIXEDWOOD_CHOICES(CutRule, {"mdlp", CutRule::kMdlp}, {"caim", CutRule::kCaim},
                  {"equal_width", CutRule::kEqualWidth},
                  {"equal_frequency", CutRule::kEqualFrequency});
