// Names of the rules that cut numbers into ranges.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "mixedwood/discretize.hpp"

namespace mixedwood {

inline CutRule cut_rule(std::string_view name) {
  if (name == "mdlp") return CutRule::kMdlp;
  if (name == "caim") return CutRule::kCaim;
  if (name == "equal_width") return CutRule::kEqualWidth;
  if (name == "equal_frequency") return CutRule::kEqualFrequency;
  throw std::invalid_argument("there is no rule '" + std::string(name) + "' that cuts numbers into ranges");
}

}  // namespace mixedwood
