// SPDX-License-Identifier: MIT
// What examples/15_realtime.cpp gives an audio device to call: no allocation, no lock, no system call, and the right sound.
#include "../../examples/support/amplifier.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <sinter/network/network.hpp>
#include <thread>

#include "support/allocations.hpp"
#include "support/system_calls.hpp"

using namespace sinter;
using namespace sinter_test;

#if SINTER_COUNTS_LOCKS && defined(__GLIBC__)
// What operator new does not see: malloc and its kin, by which C code allocates, and free.
namespace {
std::atomic<long> heap_calls{0};
}
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void __libc_free(void*);
void* malloc(std::size_t size) noexcept { return ++heap_calls, __libc_malloc(size); }
void* calloc(std::size_t count, std::size_t size) noexcept { return ++heap_calls, __libc_calloc(count, size); }
void* realloc(void* p, std::size_t size) noexcept { return ++heap_calls, __libc_realloc(p, size); }
void free(void* p) noexcept { ++heap_calls, __libc_free(p); }
}
constexpr bool counts_all = true;
#else
namespace {
long heap_calls = 0;
}
constexpr bool counts_all = false;
#endif

namespace {
constexpr std::size_t blocks = 500;

struct Sound {
  const Network<Amplifier> net;
  std::vector<float> in = std::vector<float>(blocks * block_length), out = in;
  AmplifierEffect effect{net};

  Sound() {
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = std::sin(0.0001f * static_cast<float>(i * i % 100003));
  }
  /// In blocks of several sizes, sample by sample too.
  void play() {
    constexpr std::size_t sizes[] = {block_length, 1, 7, 3 * block_length};
    for (std::size_t at = 0, i = 0; at < in.size(); ++i) {
      const std::size_t n = std::min(sizes[i % 4], in.size() - at);
      effect({in.data() + at, n}, {out.data() + at, n});
      at += n;
    }
  }
};
long heap_calls_in(auto&& work) {
  const long before = heap_calls;
  work();
  return heap_calls - before;
}
}  // namespace

TEST_CASE("from the first block on nothing is allocated, freed or locked") {
  Sound sound;
  long allocations = -1, locks = -1;
  const long calls = heap_calls_in(
      [&] { locks = counted::locks_in([&] { allocations = counted::allocations_in([&] { sound.play(); }); }); });
  CHECK(allocations == 0);
  CHECK(locks == 0);
  CHECK(calls == 0);

  // What counts does count.
  std::mutex mutex;
  CHECK(counted::allocations_in([] { std::make_unique<std::vector<float>>(100); }) == 2);
  if (counts_all) CHECK(counted::locks_in([&] { std::lock_guard lock(mutex); }) == 1);
  void* volatile kept = nullptr;
  if (counts_all) CHECK(heap_calls_in([&] { kept = std::malloc(8), std::free(kept); }) == 2);
}

#if SINTER_COUNTS_LOCKS  // the sanitizers make system calls of their own
TEST_CASE("the kernel would end the process at the first system call, and it continues") {
  if (end_without_system_calls([] {}) == Ended::no_filter) {
    REQUIRE_MESSAGE(std::getenv("SINTER_CI") == nullptr, "no seccomp filters here, which CI needs");
    MESSAGE("not tested: this system has no seccomp filters");
    return;
  }
  Sound sound;
  CHECK(end_without_system_calls([&] { sound.play(); }) == Ended::well);
  // The kernel does: also at what waits for nothing, and at a write, a sleep, memory, a lock that is taken.
  const auto killed = [](auto&& work) { return end_without_system_calls(work) == Ended::killed; };
  CHECK(killed([] { getppid(); }));
  CHECK(killed([] { [[maybe_unused]] const auto n = write(1, "", 0); }));
  CHECK(killed([] { std::this_thread::sleep_for(std::chrono::microseconds(1)); }));
  CHECK(killed([] {
    void* volatile large = std::malloc(std::size_t{1} << 28);
    static_cast<char*>(large)[0] = 1;
  }));
  std::mutex mutex;
  mutex.lock();
  CHECK(killed([&] { mutex.lock(); }));
  mutex.unlock();
}
#endif

TEST_CASE("the blocks join: each sample is what the network says of its window") {
  Sound sound;
  sound.play();
  auto workspace = sound.net.workspace(1);
  std::vector<float> padded(tap_count - 1);  // before the sound there is silence
  padded.insert(padded.end(), sound.in.begin(), sound.in.end());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < blocks; ++i) {
    const TensorView<const float, Shape<1, window_length>> x{padded.data() + i * block_length, 1};
    const auto y = sound.net.forward(x, workspace);
    for (int k = 0; k < block_length; ++k)
      wrong += y(0, 0, k) != sound.out[i * block_length + static_cast<std::size_t>(k)];
  }
  CHECK(wrong == 0);
}
