#include "check.hpp"

int main() {
  int passed = 0, failed = 0;
  for (const auto& test : check::tests()) {
    const int before = check::failures();
    try {
      test.run();
    } catch (const std::exception& error) {
      ++check::failures();
      std::printf("%s threw: %s\n", test.name, error.what());
    }
    if (check::failures() == before) {
      ++passed;
    } else {
      ++failed;
      std::printf("FAILED %s\n", test.name);
    }
  }
  std::printf("core: %d passed, %d failed\n", passed, failed);
  return failed == 0 && passed > 0 ? 0 : 1;
}
