// Signed numbers as places in arrays.
#pragma once

#include <concepts>
#include <cstddef>

namespace mixedwood {

template <std::integral T>
constexpr std::size_t at(T i) {
  return static_cast<std::size_t>(i);
}

}  // namespace mixedwood
