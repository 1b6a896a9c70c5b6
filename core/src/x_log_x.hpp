// x log2 x, looked up where x is a small whole number, as counts mostly are.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace mixedwood {

// In bits; 0 log 0 = 0.
inline double x_log_x(double x) { return x > 0.0 ? x * std::log2(x) : 0.0; }

class XLogX {
 public:
  static constexpr std::size_t kSize = std::size_t{1} << 16;
  static const XLogX& table() {
    static const XLogX shared;
    return shared;
  }
  double operator()(double x) const {
    // What is left of a sum may be negative by rounding; a negative number has no size_t.
    if (x >= 0.0 && x < static_cast<double>(kSize)) {
      const auto whole = static_cast<std::size_t>(x);
      if (static_cast<double>(whole) == x) return entries_[whole];
    }
    return x_log_x(x);
  }

 private:
  XLogX() {
    for (std::size_t i = 1; i < kSize; ++i) entries_[i] = x_log_x(static_cast<double>(i));
  }
  std::array<double, kSize> entries_{};
};

}  // namespace mixedwood
