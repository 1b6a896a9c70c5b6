// Threads for the many short pieces of work that a tree consists of.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace mixedwood {

// Threads start with the first work that is divided, and end with this. Between two pieces of work
// they keep asking for a moment before they sleep: waking up takes longer than most pieces. Parts
// that no other thread has begun are done by the one that waits for them, so that a busy machine
// makes nothing slower than one thread would be.
class Workers {
 public:
  explicit Workers(int n_threads) : size_(static_cast<std::size_t>(std::clamp(n_threads, 1, kMost))) {}
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers() {
    over_ = true;
    call();
    for (std::thread& thread : threads_) thread.join();
  }

  // Parts that so much work is worth, given what is worth a thread.
  std::size_t parts(std::size_t work, std::size_t worth_a_thread) const {
    return std::clamp<std::size_t>(work / worth_a_thread, 1, size_);
  }
  // Where a part of a list begins, and the part before it ends.
  static std::size_t begin(std::size_t size, std::size_t part, std::size_t n_parts) {
    return size * part / n_parts;
  }

  // work(part) for all parts. What one of them throws is thrown here when all are done.
  void run(std::size_t n_parts, const std::function<void(std::size_t)>& work) {
    if (n_parts < 2) return work(0);
    start();
    work_ = &work;
    left_.store(n_parts, std::memory_order_relaxed);
    tickets_.store({++n_runs_, static_cast<std::uint16_t>(n_parts), 0}, std::memory_order_release);
    call();
    while (do_one()) {
    }
    for (int asked = 0; left_.load(std::memory_order_acquire) > 0; ++asked)
      if (asked > kPatience) std::this_thread::yield();
    if (const std::exception_ptr thrown = std::exchange(thrown_, nullptr))
      std::rethrow_exception(thrown);
  }

 private:
  static constexpr int kPatience = 2'000;
  static constexpr int kMost = 1'000;

  // Parts of a run that are still to be had. Aligned like one word, or clang takes a lock.
  struct alignas(std::uint64_t) Tickets {
    std::uint32_t run;
    std::uint16_t n_parts, next;
  };
  static_assert(std::atomic<Tickets>::is_always_lock_free);

  // Where the system has no more threads to give, there are as many as it gave: the one that waits
  // does the parts of the others, and results do not depend on their number.
  void start() {
    threads_.reserve(size_ - 1);
    try {
      while (threads_.size() + 1 < size_)
        threads_.emplace_back(&Workers::serve, this, calls_.load());
    } catch (const std::system_error&) {
      size_ = threads_.size() + 1;
    }
  }

  void call() {
    calls_.fetch_add(1, std::memory_order_release);
    calls_.notify_all();
  }

  void serve(std::uint32_t met) {
    for (;;) {
      for (int asked = 0; calls_.load(std::memory_order_acquire) == met; ++asked)
        if (asked > kPatience) calls_.wait(met, std::memory_order_acquire);
      met = calls_.load(std::memory_order_acquire);
      if (over_) return;
      while (do_one()) {
      }
    }
  }

  // Whoever has a ticket keeps the run, and its work, from ending.
  bool do_one() {
    Tickets tickets = tickets_.load(std::memory_order_acquire);
    Tickets after;
    do {
      if (tickets.next == tickets.n_parts) return false;
      after = tickets;
      ++after.next;
    } while (!tickets_.compare_exchange_weak(tickets, after, std::memory_order_acq_rel,
                                             std::memory_order_acquire));
    try {
      (*work_)(tickets.next);
    } catch (...) {
      const std::lock_guard held(lock_);
      thrown_ = std::current_exception();
    }
    left_.fetch_sub(1, std::memory_order_acq_rel);
    return true;
  }

  std::size_t size_;
  std::vector<std::thread> threads_;
  const std::function<void(std::size_t)>* work_ = nullptr;
  std::uint32_t n_runs_ = 0;
  std::atomic<bool> over_ = false;
  std::mutex lock_;
  std::exception_ptr thrown_;
  std::atomic<Tickets> tickets_ = Tickets{0, 0, 0};
  std::atomic<std::size_t> left_ = 0;
  std::atomic<std::uint32_t> calls_ = 0;
};

}  // namespace mixedwood
