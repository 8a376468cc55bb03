// SPDX-License-Identifier: MIT
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

/// Counts what must not happen in a step or a forward: allocations, and locks of a mutex. Replaces operator new and
/// replaces pthread_mutex_lock in the whole program: include it in one source file of a test. Sanitizers replace them,
/// too: with any of them no locks are counted, and with that of threads nothing is.
namespace counted {

inline std::atomic<long> allocations{0}, bytes{0};
inline thread_local long locks = 0;  // of this thread: those of a pool lock when they go to sleep

/// How many of them a piece of work does, and of how many bytes.
template <class Work>
long allocations_in(Work work) {
  const long before = allocations;
  work();
  return allocations - before;
}
template <class Work>
long bytes_in(Work work) {
  const long before = bytes;
  work();
  return bytes - before;
}
template <class Work>
long locks_in(Work work) {
  const long before = locks;
  work();
  return locks - before;
}

inline void* allocate(std::size_t size, std::size_t alignment) {
  ++allocations;
  bytes += static_cast<long>(size);
  void* p = nullptr;
  if (posix_memalign(&p, alignment < sizeof(void*) ? sizeof(void*) : alignment, size == 0 ? 1 : size) != 0)
    std::abort();
  return p;
}

}  // namespace counted

#if defined(__SANITIZE_THREAD__)
#define SINTER_COUNTS_ALLOCATIONS 0
#elif defined(__SANITIZE_ADDRESS__)
#define SINTER_COUNTS_LOCKS 0
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SINTER_COUNTS_ALLOCATIONS 0
#elif __has_feature(address_sanitizer)
#define SINTER_COUNTS_LOCKS 0
#endif
#endif
#if !defined(SINTER_COUNTS_ALLOCATIONS)
#define SINTER_COUNTS_ALLOCATIONS 1
#endif
#if !defined(SINTER_COUNTS_LOCKS)
#define SINTER_COUNTS_LOCKS SINTER_COUNTS_ALLOCATIONS
#endif

#if SINTER_COUNTS_ALLOCATIONS
// g++ takes free() for a mistake where it sees that the memory came from operator new.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif
void* operator new(std::size_t size) { return counted::allocate(size, alignof(std::max_align_t)); }
void* operator new[](std::size_t size) { return counted::allocate(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t a) {
  return counted::allocate(size, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t size, std::align_val_t a) {
  return counted::allocate(size, static_cast<std::size_t>(a));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return counted::allocate(size, alignof(std::max_align_t));
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return counted::allocate(size, alignof(std::max_align_t));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
#endif

#if SINTER_COUNTS_LOCKS
#include <dlfcn.h>
extern "C" int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  using Lock = int (*)(pthread_mutex_t*);
  static const Lock next = reinterpret_cast<Lock>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
  ++counted::locks;
  return next(mutex);
}
#endif
