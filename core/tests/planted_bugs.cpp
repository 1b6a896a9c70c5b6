// Bugs on purpose. A sanitizer build that does not catch each of them is not one.
#include <climits>
#include <cstdio>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace {

volatile int sink = 0;
volatile int one = 1;

void past_a_reused_vector() {
  std::vector<int> scratch(100);
  scratch.clear();
  scratch.resize(10);
  sink = scratch.data()[10 + 5 * one];  // inside the capacity, past the end
}
void index_past_the_end() {
  std::vector<int> v(3);
  sink = v[static_cast<std::size_t>(2 + one)];
}
void span_past_the_end() {
  std::vector<int> v(3);
  const std::span<int> s(v);
  sink = s[static_cast<std::size_t>(2 + one)];
}
void heap_overrun() {
  auto p = std::make_unique<int[]>(4);
  sink = p.get()[3 + one];
}
void use_after_free() {
  auto* p = new int(one);
  delete p;
  sink = *p;
}
void signed_overflow() { sink = INT_MAX - 1 + one + one; }
void bad_shift() { sink = 1 << (31 + one); }
void bad_cast() {
  const double huge = 1e30 * one;
  sink = static_cast<int>(huge);
}

struct Bug {
  const char* name;
  void (*run)();
};
const Bug kBugs[] = {{"past_a_reused_vector", past_a_reused_vector},
                     {"index_past_the_end", index_past_the_end},
                     {"span_past_the_end", span_past_the_end},
                     {"heap_overrun", heap_overrun},
                     {"use_after_free", use_after_free},
                     {"signed_overflow", signed_overflow},
                     {"bad_shift", bad_shift},
                     {"bad_cast", bad_cast}};

}  // namespace

int main(int argc, char** argv) {
  const std::string wanted = argc > 1 ? argv[1] : "list";
  for (const auto& bug : kBugs) {
    if (wanted == "list") std::printf("%s\n", bug.name);
    if (wanted == bug.name) bug.run();
  }
  return 0;
}
