// The one list where names meet parts, with the options of each.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "mixedwood/criterion.hpp"
#include "mixedwood/partitioner.hpp"
#include "mixedwood/screener.hpp"

namespace mixedwood {

using OptionValue = std::variant<bool, std::int64_t, double, std::string>;

// The default value has the type of the option.
struct OptionInfo {
  std::string name;
  OptionValue default_value;
  std::string summary;
  std::vector<std::string> choices = {};  // of a text
  double low = 1.0, high = 1e6;           // of a number: [low, high] if an integer, else (low, high]
};

// Values of the options of one part.
class Options {
 public:
  Options() = default;
  Options(std::initializer_list<std::pair<const std::string, OptionValue>> values)
      : values_(values) {}
  void set(const std::string& name, OptionValue value) { values_[name] = std::move(value); }
  template <typename T>
  const T& get(const std::string& name) const {
    return std::get<T>(values_.at(name));
  }
  bool is(const std::string& name, const char* choice) const {
    return get<std::string>(name) == choice;
  }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }

 private:
  std::map<std::string, OptionValue> values_;
};

// `costs`: class x class over the classes present, or empty.
using MakeCriterion = std::unique_ptr<Criterion>(std::vector<double> costs);
// `options` are complete: defaults are filled in.
using MakePartitioner = std::unique_ptr<Partitioner>(const Options& options);
using MakeScreener = std::unique_ptr<Screener>(const Options& options);

struct CriterionInfo {
  std::string name;
  std::string summary;
  MakeCriterion* make;
  bool takes_costs = false;
};

struct PartitionerInfo {
  std::string name;
  std::string summary;
  std::vector<OptionInfo> options;
  MakePartitioner* make;
  PartitionerTraits traits = {};  // the partitioner has them, too
};

struct ScreenerInfo {
  std::string name;
  std::string summary;
  std::vector<OptionInfo> options;
  MakeScreener* make;
};

std::span<const CriterionInfo> known_criteria();
std::span<const PartitionerInfo> known_partitioners();
std::span<const ScreenerInfo> known_screeners();

// Throw std::invalid_argument when there is no such part, or no such option of it. Whether the
// value of an option is in its range is checked by the caller, who knows how it was given.
const CriterionInfo& criterion_info(std::string_view name);
std::unique_ptr<Partitioner> make_partitioner(std::string_view name, const Options& options = {});
std::unique_ptr<Screener> make_screener(std::string_view name, const Options& options = {});

}  // namespace mixedwood
