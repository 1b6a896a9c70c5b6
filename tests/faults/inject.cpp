// Loaded before all other libraries: makes one chosen allocation of the core fail, or refuses new
// threads. Only for glibc, whose own malloc is called by its second name.
#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <new>

extern "C" void* __libc_malloc(std::size_t size);

namespace {

std::atomic<long> left{0};  // allocations until one fails; 0: none fails
std::atomic<long> met{0};
std::atomic<long> threads_left{-1};  // -1: no limit
std::uintptr_t first_byte = 0, last_byte = 0;

bool fails() {
  met.fetch_add(1);
  return left.load() > 0 && left.fetch_sub(1) == 1;
}

bool within(const void* caller) {
  const auto at = reinterpret_cast<std::uintptr_t>(caller);
  return first_byte <= at && at < last_byte;
}

void* allocate(std::size_t size) {
  void* const found = fails() ? nullptr : __libc_malloc(size == 0 ? 1 : size);
  if (found == nullptr) throw std::bad_alloc();
  return found;
}

void* allocate(std::size_t size, std::align_val_t alignment) {
  void* found = nullptr;
  if (fails() || posix_memalign(&found, static_cast<std::size_t>(alignment), size) != 0)
    throw std::bad_alloc();
  return found;
}

}  // namespace

extern "C" {
// Where the code of the core lies, whose calls of malloc count; every operator new does.
void watch(std::uintptr_t first, std::uintptr_t last) { first_byte = first, last_byte = last; }
// The nth allocation from now on fails; 0: none.
void fail_at(long nth) {
  met = 0;
  left = nth;
}
long allocations() { return met; }
void allow_threads(long most) { threads_left = most; }

void* malloc(std::size_t size) {
  if (within(__builtin_return_address(0)) && fails()) {
    errno = ENOMEM;
    return nullptr;
  }
  return __libc_malloc(size);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* how, void* (*run)(void*), void* with) {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  long now = threads_left.load();
  while (now > 0 && !threads_left.compare_exchange_weak(now, now - 1)) {
  }
  return now == 0 ? EAGAIN : create(thread, how, run, with);
}
}

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void* operator new(std::size_t size, std::align_val_t to) { return allocate(size, to); }
void* operator new[](std::size_t size, std::align_val_t to) { return allocate(size, to); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return fails() ? nullptr : __libc_malloc(size);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return fails() ? nullptr : __libc_malloc(size);
}
void operator delete(void* given) noexcept { std::free(given); }
void operator delete[](void* given) noexcept { std::free(given); }
void operator delete(void* given, std::size_t) noexcept { std::free(given); }
void operator delete[](void* given, std::size_t) noexcept { std::free(given); }
void operator delete(void* given, std::align_val_t) noexcept { std::free(given); }
void operator delete[](void* given, std::align_val_t) noexcept { std::free(given); }
void operator delete(void* given, std::size_t, std::align_val_t) noexcept { std::free(given); }
void operator delete[](void* given, std::size_t, std::align_val_t) noexcept { std::free(given); }
