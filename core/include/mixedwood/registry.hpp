// The one list where names meet parts, with what a caller may set on each.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mixedwood/acceptor.hpp"
#include "mixedwood/criterion.hpp"
#include "mixedwood/partitioner.hpp"

namespace mixedwood {

// A choice is passed as its index in `choices`; a plain number has no choices; a switch has
// the choices {"false", "true"}.
struct OptionInfo {
  std::string name;
  double default_value;
  std::string summary;
  std::vector<std::string> choices;
};

using Options = std::map<std::string, double>;  // complete: defaults filled in

struct CriterionInfo {
  std::string name;
  std::string summary;
  bool takes_costs;
  // Costs are class x class over the classes present, or empty.
  std::unique_ptr<Criterion> (*make)(std::vector<double> costs, int n_classes);
};

struct PartitionerInfo {
  std::string name;
  std::string summary;
  std::vector<OptionInfo> options;
  std::unique_ptr<Partitioner> (*make)(const Options& options);
  PartitionerTraits traits = {};
};

// An acceptor has one number to set.
struct AcceptorInfo {
  std::string name;
  std::string summary;
  std::string option;
  double default_value, least, most;
  std::unique_ptr<Acceptor> (*make)(double value);
};

std::span<const CriterionInfo> criteria();
std::span<const PartitionerInfo> partitioners();
std::span<const AcceptorInfo> acceptors();

// Throw std::invalid_argument with the known names when there is no such part.
const CriterionInfo& criterion_info(std::string_view name);
const PartitionerInfo& partitioner_info(std::string_view name);
const AcceptorInfo& acceptor_info(std::string_view name);

// Checks names and ranges of what the caller set and fills in the defaults.
std::unique_ptr<Partitioner> make_partitioner(std::string_view name, const Options& set = {});

}  // namespace mixedwood
