// Settings that come as a dict.
#pragma once

#include <stdexcept>
#include <string>

#include "arrays.hpp"

namespace mixedwood {

template <typename T>
T get(const nb::dict& settings, const char* name) {
  if (!settings.contains(name))
    throw std::invalid_argument(std::string("the setting '") + name + "' is missing");
  return nb::cast<T>(settings[name]);
}

}  // namespace mixedwood
