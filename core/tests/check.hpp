// The smallest test frame that does: named tests, checks that print what they saw, one summary.
#pragma once

#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace check {

struct Test {
  const char* name;
  void (*run)();
};

inline std::vector<Test>& tests() {
  static std::vector<Test> all;
  return all;
}
inline int& failures() {
  static int count = 0;
  return count;
}

struct Register {
  Register(const char* name, void (*run)()) { tests().push_back({name, run}); }
};

inline void expect(bool ok, const char* expression, const char* file, int line) {
  if (ok) return;
  ++failures();
  std::printf("%s:%d: %s does not hold\n", file, line, expression);
}

inline void expect_near(double a, double b, double tolerance, const char* expression,
                        const char* file, int line) {
  if (std::abs(a - b) <= tolerance) return;
  ++failures();
  std::printf("%s:%d: %s: %.17g is not %.17g\n", file, line, expression, a, b);
}

// The message of the exception that the call throws; "" when it throws none.
template <typename Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace check

#define TEST(name)                                            \
  static void name();                                         \
  static const check::Register register_##name(#name, &name); \
  static void name()
#define CHECK(expression) check::expect((expression), #expression, __FILE__, __LINE__)
#define CHECK_NEAR(a, b, tolerance) \
  check::expect_near((a), (b), (tolerance), #a, __FILE__, __LINE__)
