// SPDX-License-Identifier: MIT
#pragma once

/// The only place that asks which compiler this is for the sake of a keyword.
///
/// SINTER_INLINE  a function that must vanish into its caller: kernels are built from many such pieces,
///                and one that stays a call costs a factor of two (clang does not inline them by itself).
/// SINTER_FN      the same, callable on a CUDA device too: leaf mathematics.
/// SINTER_LAMBDA  goes between a lambda's parameters and its body: `[&](auto i) SINTER_LAMBDA { .. }`.
/// SINTER_ANY_CALLEE  before a template for both that calls what it is given, which may be for the host alone.
#if defined(__CUDACC__)
#define SINTER_HOST_DEVICE __host__ __device__
#define SINTER_ANY_CALLEE _Pragma("nv_exec_check_disable")
#else
#define SINTER_HOST_DEVICE
#define SINTER_ANY_CALLEE
#endif

/// SINTER_UNROLL  before a loop over a few registers: on a GPU an array that is indexed by a loop's counter lies in memory.
/// SINTER_UNROLL_BY(n)  n turns of a loop at a time, so that their loads overlap.
#if defined(__CUDA_ARCH__)
#define SINTER_PRAGMA(text) _Pragma(#text)
#define SINTER_UNROLL _Pragma("unroll")
#define SINTER_UNROLL_BY(n) SINTER_PRAGMA(unroll n)
#else
#define SINTER_UNROLL
#define SINTER_UNROLL_BY(n)
#endif

/// SINTER_COLD   a function that runs seldom and is mostly text: compiled for size, which takes less time.
/// SINTER_SHARED a function that layers share: one copy, which compiles once. The instruction set is among
///                its template arguments, as in every kernel: units compiled for different ones share no kernel.
#define SINTER_SHARED [[gnu::noinline]]
#define SINTER_COLD [[gnu::cold]]
#define SINTER_INLINE [[gnu::always_inline]] inline
#define SINTER_FN [[gnu::always_inline]] SINTER_HOST_DEVICE inline
#define SINTER_LAMBDA __attribute__((always_inline))

/// g++ 12 takes an int that is the length of an array in a template for a doubtful conversion; clang judges these well.
#if defined(__GNUC__) && !defined(__clang__)
#define SINTER_WARNINGS_BEGIN _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wsign-conversion\"")
#define SINTER_WARNINGS_END _Pragma("GCC diagnostic pop")
#else
#define SINTER_WARNINGS_BEGIN
#define SINTER_WARNINGS_END
#endif

/// Everything lives in one versioned namespace, so that two versions in one program do not mix.
#define SINTER_NAMESPACE_BEGIN \
  SINTER_WARNINGS_BEGIN        \
  namespace sinter {           \
  inline namespace v0_1 {
#define SINTER_NAMESPACE_END \
  }                          \
  }                          \
  SINTER_WARNINGS_END
