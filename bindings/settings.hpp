// Texts and settings that come as a dict.
//
// nanobind's casters for std::string, std::vector and std::map are noexcept: an allocation that fails
// in one of them ends the process. So texts cross as views, numbers as arrays, and what needs memory
// is copied here, in the body of a function, where std::bad_alloc becomes a MemoryError.
#pragma once

#include <nanobind/stl/string_view.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include "arrays.hpp"

namespace mixedwood {

inline std::string text_of(nb::handle given) {
  return std::string(nb::cast<std::string_view>(given));
}

template <typename T>
T get(const nb::dict& settings, const char* name) {
  if (!settings.contains(name))
    throw std::invalid_argument(std::string("the setting '") + name + "' is missing");
  const nb::object given = settings[name];
  if constexpr (std::is_same_v<T, std::string>) {
    return text_of(given);
  } else {
    static_assert(std::is_arithmetic_v<T> || std::is_base_of_v<nb::handle, T>);
    return nb::cast<T>(given);
  }
}

}  // namespace mixedwood
