// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <type_traits>

#include "sinter/core/isa.hpp"
#include "sinter/device/executor.hpp"
#include "sinter/device/thread_pool.hpp"

SINTER_NAMESPACE_BEGIN

/// Whether this file is compiled with optimisation.
#if defined(__OPTIMIZE__) || defined(_MSC_VER)
inline constexpr bool optimised = true;
#else
inline constexpr bool optimised = false;
#endif

namespace detail {
/// How long threads spin. A plain number has no unit: refused with a message.
struct SpinTime : std::chrono::microseconds {
  static constexpr std::chrono::hours most{1};  // a time that can be added to now
  template <class Count, class Period>
  SpinTime(std::chrono::duration<Count, Period> time)
      : std::chrono::microseconds(time < most ? std::chrono::microseconds(time) : most) {}
  template <class Number>
    requires std::is_arithmetic_v<Number>
  SpinTime(Number) : std::chrono::microseconds(0) {
    static_assert(std::is_void_v<Number>,
                  "sinter: Host takes .spin as a time: Host{.threads = 2, .spin = std::chrono::microseconds(50)}");
  }
};
}  // namespace detail

/// The CPU, with the instruction set that this translation unit is compiled for: units compiled for different ones
/// share no kernel. `Host{.threads = 2}` trains and predicts on two threads; copies share them. They are the device's
/// own threads, which spin for `.spin` before they sleep, or, with `.executor`, the caller's.
template <class Isa>
struct HostFor {
  using ISA = Isa;
  using Executor = detail::Executor;
  using Task = detail::Task;

  int threads = 1;
  detail::SpinTime spin = detail::ThreadPool::default_spin;
  Executor executor{};
  detail::ThreadPool pool{threads, spin, executor};

  static constexpr const char* name = "host";

  /// Makes new threads if an option was assigned after the threads were made: networks do so with the device they are
  /// given.
  void settle() {
    if (!pool.is(threads, spin, executor)) pool = detail::ThreadPool(threads, spin, executor);
  }

  /// A sentence, when the program was compiled without optimisation, or for less than this machine has.
  template <bool Optimised = optimised>
  const char* note() const {
    if (!Optimised)
      return "compiled without optimisation: add -O3 (CMake: -DCMAKE_BUILD_TYPE=Release) to run many times faster";
#if defined(__x86_64__)
    if (std::is_same_v<Isa, isa::Portable> && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
      return "compiled without AVX2, which this CPU has: add -march=native (or -march=x86-64-v3) to run several times "
             "faster";
    if (std::is_same_v<Isa, isa::Avx2> && __builtin_cpu_supports("avx512vl"))
      return "compiled without AVX-512, which this CPU has: add -march=native (or -march=x86-64-v4) to run faster";
#endif
    return "";
  }
};
/// The CPU, with the instruction set that the source file is compiled for.
using Host = HostFor<isa::Native>;

SINTER_NAMESPACE_END

namespace sinter {
using internal::Host;
}  // namespace sinter
