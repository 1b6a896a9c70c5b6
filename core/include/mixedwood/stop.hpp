// Limits of time and work, and cancellation. A search asks `requested()` in its loops; the clock is
// read only now and then, and the owner's hook (signals of the caller's language) every few
// milliseconds. Work is counted in the search's own steps, so that a limit of it ends a search at
// the same place on every machine.
#pragma once

#include <cstdint>
#include <chrono>
#include <functional>
#include <limits>
#include <stdexcept>
#include <utility>

#include "mixedwood/index.hpp"

namespace mixedwood {

class Stop {
 public:
  using Clock = std::chrono::steady_clock;

  Stop() = default;
  // `hook` returns true to cancel. It is called on the searching thread.
  Stop(double seconds, std::function<bool()> hook) : hook_(std::move(hook)) {
    const auto start = Clock::now();
    next_hook_ = start;
    if (seconds < 1e9) {  // longer is no limit, and would overflow the clock
      limited_ = true;
      deadline_ = start + std::chrono::duration_cast<Clock::duration>(
                               std::chrono::duration<double>(seconds));
    }
  }

  // `cost`: rough number of elementary steps since the last question.
  bool requested(std::int64_t cost = 1) {
    if (interrupted_ || (stopped_ && !held_)) return true;
    steps_ += cost;
    // A score written in Python may take a thousand times what the search thinks it costs.
    if (steps_ < kStepsPerLook && ++questions_ < kQuestionsPerLook) return false;
    work_ += steps_;
    steps_ = 0;
    questions_ = 0;
    return look();
  }

  // No more steps than this.
  void limit_work(std::int64_t steps) { most_work_ = steps; }
  std::int64_t work() const { return work_ + steps_; }

  // While it is held no limit counts, not even one that has ended the search: for a first result that
  // is always needed, and for short work on the last one. The hook is asked all the same.
  void hold_time(bool held) { held_ = held; }

  bool timed_out() const { return timed_out_; }
  bool out_of_work() const { return out_of_work_; }
  bool interrupted() const { return interrupted_; }

 private:
  bool look() {
    if (work_ >= most_work_ && !held_) return out_of_work_ = stopped_ = true;
    if (!limited_ && !hook_) return false;
    const auto now = Clock::now();
    if (limited_ && !held_ && now >= deadline_) timed_out_ = stopped_ = true;
    if (hook_ && now >= next_hook_) {
      next_hook_ = now + std::chrono::milliseconds(20);
      if (hook_()) interrupted_ = stopped_ = true;
    }
    return held_ ? interrupted_ : stopped_;
  }

  static constexpr std::int64_t kStepsPerLook = 20'000;
  static constexpr int kQuestionsPerLook = 64;
  std::function<bool()> hook_;
  Clock::time_point deadline_{}, next_hook_{};
  std::int64_t steps_ = 0, work_ = 0;
  std::int64_t most_work_ = std::numeric_limits<std::int64_t>::max();
  int questions_ = 0;
  bool limited_ = false, held_ = false, stopped_ = false;
  bool timed_out_ = false, out_of_work_ = false, interrupted_ = false;
};

// Thrown where a stop comes before there is anything to return.
struct Stopped {};

// What the caller of the library sees then, when the reason was the time limit.
struct TimeLimitError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace mixedwood
