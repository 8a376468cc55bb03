// SPDX-License-Identifier: MIT
#pragma once

// One line for a compiler that cannot do it. A missing header ends the compilation; an #error alone would be followed
// by thousands of lines.
#if defined(_MSC_VER) && !defined(__clang__)
#error "sinter: MSVC is not supported; compile with g++ 12, clang 18 or newer"
#include "sinter_needs_another_compiler"
#elif __cplusplus < 202002L
#error "sinter needs C++20: compile with -std=c++20 (CMake: target_compile_features(program PRIVATE cxx_std_20))"
#include "sinter_needs_std_c++20"
#elif defined(__clang__) && !defined(__apple_build_version__) && __clang_major__ < 18
#error "sinter needs clang 18 or newer (numbers such as 0.5 as template arguments), or g++ 12"
#include "sinter_needs_clang_18"
#elif defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 12
#error "sinter needs g++ 12 or newer, or clang 18"
#include "sinter_needs_gcc_12"
#elif defined(_WIN32) && defined(__GNUC__) && !defined(__clang__) && defined(__AVX__) && \
    !defined(SINTER_UNALIGNED_MOVES)
// Its frames there are aligned to 16 bytes, and moves to them to 32 (bug 54412): some programs stop, at some starts.
#error "g++ for Windows misaligns vectors of 32 bytes: add -Wa,-muse-unaligned-vector-move -D SINTER_UNALIGNED_MOVES"
#include "sinter_needs_unaligned_moves"
#endif

/// The only place that tests for a compiler because of a keyword.
///
/// SINTER_INLINE  a function that must vanish into its caller: kernels are built from many such pieces,
///                and one that remains a call costs much (docs/decisions/core.md); clang does not inline them.
/// SINTER_FN      the same, also callable on a CUDA device: leaf mathematics.
/// SINTER_LAMBDA  goes between a lambda's parameters and its body: `[&](auto i) SINTER_LAMBDA { .. }`.
/// SINTER_ANY_CALLEE  before a template for both that calls its argument, which may be for the host alone.
#if defined(__CUDACC__)
#define SINTER_HOST_DEVICE __host__ __device__
#define SINTER_ANY_CALLEE _Pragma("nv_exec_check_disable")
#else
#define SINTER_HOST_DEVICE
#define SINTER_ANY_CALLEE
#endif

/// SINTER_UNROLL  before a loop over a few registers: on a GPU an array indexed by a loop's counter is in memory.
/// SINTER_UNROLL_BY(n)  n iterations of a loop at a time, so that their loads overlap.
#if defined(__CUDA_ARCH__)
#define SINTER_PRAGMA(text) _Pragma(#text)
#define SINTER_UNROLL _Pragma("unroll")
#define SINTER_UNROLL_BY(n) SINTER_PRAGMA(unroll n)
#else
#define SINTER_UNROLL
#define SINTER_UNROLL_BY(n)
#endif

/// SINTER_UNROLL_LANES  before a host loop over the lanes of a pack: without it g++ keeps the array that it indexes in
///                      memory at -O2. nvcc's parser refuses the pragma.
/// SINTER_KEEP_LOOP  before a host loop of so many bodies that unrolling it takes more time than it saves.
#if defined(__CUDACC__)
#define SINTER_UNROLL_LANES
#define SINTER_KEEP_LOOP
#else
#define SINTER_UNROLL_LANES _Pragma("GCC unroll 16")
#define SINTER_KEEP_LOOP _Pragma("GCC unroll 1")
#endif

/// SINTER_COLD   a function that runs rarely and mostly builds text: compiled for size, which takes less time.
/// SINTER_SHARED a function that layers share: one copy, which compiles once. The instruction set is among
///                its template arguments, as in every kernel: units compiled for different ones share no kernel.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define SINTER_SHARED [[gnu::noinline, gnu::noclone]]
#else
#define SINTER_SHARED [[gnu::noinline]]
#endif
#define SINTER_COLD [[gnu::cold]]
/// With SINTER_KEEP_CALLS the compiler decides what to inline and optimise. For programs of one instruction set. Where
/// kernels are inlined, a sanitizer checks each of their accesses anew, and without optimisation g++ takes ten times as
/// long: then this is chosen by itself (docs/performance.md, Sanitizers).
#if defined(__has_feature)
#define SINTER_HAS_FEATURE(name) __has_feature(name)
#else
#define SINTER_HAS_FEATURE(name) 0
#endif
#if !defined(SINTER_KEEP_CALLS) && !defined(__OPTIMIZE__) && !defined(__CUDACC__) && !defined(SINTER_LIBRARY_X86) && \
    !defined(SINTER_LIBRARY_PART) &&                                                                                 \
    (defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || SINTER_HAS_FEATURE(address_sanitizer) ||       \
     SINTER_HAS_FEATURE(thread_sanitizer) || SINTER_HAS_FEATURE(undefined_behavior_sanitizer))
#define SINTER_KEEP_CALLS
#endif
#undef SINTER_HAS_FEATURE
#ifdef SINTER_KEEP_CALLS
#define SINTER_INLINE inline
#define SINTER_FN SINTER_HOST_DEVICE inline
#define SINTER_LAMBDA
#else
#define SINTER_INLINE [[gnu::always_inline]] inline
#define SINTER_FN [[gnu::always_inline]] SINTER_HOST_DEVICE inline
#define SINTER_LAMBDA __attribute__((always_inline))
#endif

/// SINTER_FUNCTION  before each function of an .ipp file, which holds the bodies of a header's functions that name no
///                  model. Header-only programs include these files. With SINTER_COMPILED they do not: the functions
///                  come from sinter::compiled, or from the one source file that defines SINTER_IMPLEMENTATION.
#if defined(SINTER_IMPLEMENTATION) && !defined(SINTER_COMPILED)
#define SINTER_COMPILED
#endif
#if !defined(SINTER_COMPILED) || defined(__CUDACC__)
#define SINTER_BODIES 1
#define SINTER_FUNCTION inline
#elif defined(SINTER_IMPLEMENTATION)
#define SINTER_BODIES 1
#define SINTER_FUNCTION
#else
#define SINTER_BODIES 0
#endif

/// SINTER_THREADS  whether the system has threads. WASI has them with -pthread alone; without, one thread does all.
#if defined(__wasi__) && !defined(_REENTRANT)
#define SINTER_THREADS 0
#else
#define SINTER_THREADS 1
#endif

/// SINTER_MESSAGES  whether errors have a text. A machine without an operating system has nowhere to show it, and no
///                  room for what makes it: there, an error stops the program by an instruction that traps.
#if !defined(SINTER_MESSAGES)
#if defined(__unix__) || defined(__APPLE__) || defined(_WIN32) || defined(__wasi__)
#define SINTER_MESSAGES 1
#else
#define SINTER_MESSAGES 0
#endif
#endif

/// A program's own globals may be called N, x or size, and -Wshadow is not to warn of each function here that uses the
/// name, too. Sinter's tests, with SINTER_WARN_OF_SHADOWS, see what it hides itself.
#if defined(SINTER_WARN_OF_SHADOWS)
#define SINTER_IGNORE_SHADOWS
#elif defined(__clang__)
#define SINTER_IGNORE_SHADOWS _Pragma("clang diagnostic ignored \"-Wshadow-all\"")
#else
#define SINTER_IGNORE_SHADOWS _Pragma("GCC diagnostic ignored \"-Wshadow\"")
#endif
/// g++ 12 warns of a conversion if an int is the length of an array in a template; clang does not.
#if defined(__clang__)
#define SINTER_WARNINGS_BEGIN _Pragma("clang diagnostic push") SINTER_IGNORE_SHADOWS
#define SINTER_WARNINGS_END _Pragma("clang diagnostic pop")
#elif defined(__GNUC__)
#define SINTER_WARNINGS_BEGIN \
  _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wsign-conversion\"") SINTER_IGNORE_SHADOWS
#define SINTER_WARNINGS_END _Pragma("GCC diagnostic pop")
#else
#define SINTER_WARNINGS_BEGIN
#define SINTER_WARNINGS_END
#endif

/// Without optimisation, kernels compiled by g++ are far too slow (docs/decisions/builds.md). So g++ compiles sinter's
/// functions with -O1 even then, and the user's with the given options. (-Og cannot be distinguished from -O1, and
/// clang has no such attribute.)
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__) && !defined(__OPTIMIZE__) && \
    !defined(SINTER_KEEP_CALLS)
#define SINTER_OPTIMISE_BEGIN _Pragma("GCC push_options") _Pragma("GCC optimize(\"O1\")")
#define SINTER_OPTIMISE_END _Pragma("GCC pop_options")
#else
#define SINTER_OPTIMISE_BEGIN
#define SINTER_OPTIMISE_END
#endif

/// A function of the user's that a GPU calls without SINTER_FN before it has wrong results there. nvcc only warns of
/// such a call; where a function of sinter makes it, it is an error.
#if defined(__CUDACC__)
#define SINTER_DEVICE_CALLS_BEGIN                                                             \
  _Pragma("nv_diagnostic push") _Pragma("nv_diag_error 20011") _Pragma("nv_diag_error 20013") \
      _Pragma("nv_diag_error 20014") _Pragma("nv_diag_error 20015")
#define SINTER_DEVICE_CALLS_END _Pragma("nv_diagnostic pop")
#else
#define SINTER_DEVICE_CALLS_BEGIN
#define SINTER_DEVICE_CALLS_END
#endif

/// Everything lives in one versioned namespace, so that two versions in one program do not mix. What users write is
/// public: the header that declares a name exports it to namespace sinter, so that `using namespace sinter` brings
/// nothing else. SINTER_VERSIONED, its name, is set where objects of one program are compiled for several instruction
/// sets and share nothing.
#if !defined(SINTER_VERSIONED)
#define SINTER_VERSIONED v0_1
#endif
#define SINTER_NAMESPACE_BEGIN \
  SINTER_WARNINGS_BEGIN        \
  SINTER_OPTIMISE_BEGIN        \
  SINTER_DEVICE_CALLS_BEGIN    \
  namespace sinter {           \
  namespace SINTER_VERSIONED {
#define SINTER_NAMESPACE_END \
  }                          \
  }                          \
  SINTER_DEVICE_CALLS_END    \
  SINTER_OPTIMISE_END        \
  SINTER_WARNINGS_END

namespace sinter {
namespace SINTER_VERSIONED {}
namespace internal = SINTER_VERSIONED;
}  // namespace sinter
