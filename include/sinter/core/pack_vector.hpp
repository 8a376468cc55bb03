// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <type_traits>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// What a Pack is made of: the vector extension of GCC and clang where SINTER_VECTORS is 1.
#if !defined(__CUDA_ARCH__)
#define SINTER_VECTORS 1
namespace detail {
template <class T, int Lanes>
struct VectorOf {
  using Type [[gnu::vector_size(Lanes * sizeof(T))]] = T;
};
}  // namespace detail
#else
#define SINTER_VECTORS 0
namespace detail {
/// nvcc reads the code of the host once more when it compiles for a GPU, where it knows no vectors, and then drops it:
/// this has the same operations, so that it can be read.
template <class T, int Lanes>
struct PlainVector {
  T lane[Lanes];
  SINTER_FN T operator[](int i) const { return lane[i]; }
  SINTER_FN T& operator[](int i) { return lane[i]; }
};
#define SINTER_PLAIN(op, Result)                                                           \
  template <class T, int L>                                                                \
  SINTER_FN PlainVector<Result, L> operator op(PlainVector<T, L> a, PlainVector<T, L> b) { \
    PlainVector<Result, L> r{};                                                            \
    for (int i = 0; i < L; ++i) r.lane[i] = static_cast<Result>(a.lane[i] op b.lane[i]);   \
    return r;                                                                              \
  }
template <class T>
using Truth = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
SINTER_PLAIN(+, T)
SINTER_PLAIN(-, T)
SINTER_PLAIN(*, T)
SINTER_PLAIN(/, T)
SINTER_PLAIN(&, T)
SINTER_PLAIN(|, T)
SINTER_PLAIN(^, T)
SINTER_PLAIN(<, Truth<T>)
SINTER_PLAIN(>, Truth<T>)
SINTER_PLAIN(<=, Truth<T>)
SINTER_PLAIN(>=, Truth<T>)
SINTER_PLAIN(==, Truth<T>)
SINTER_PLAIN(!=, Truth<T>)
#undef SINTER_PLAIN
template <class T, int L>
SINTER_FN PlainVector<T, L> operator-(T a, PlainVector<T, L> b) {
  PlainVector<T, L> r{};
  for (int i = 0; i < L; ++i) r.lane[i] = a - b.lane[i];
  return r;
}
template <class T, int L>
SINTER_FN PlainVector<T, L> operator-(PlainVector<T, L> a) {
  return T(0) - a;
}
template <class T, int L>
SINTER_FN PlainVector<T, L> operator~(PlainVector<T, L> a) {
  PlainVector<T, L> r{};
  for (int i = 0; i < L; ++i) r.lane[i] = static_cast<T>(~a.lane[i]);
  return r;
}
template <class T, int L>
SINTER_FN PlainVector<T, L> operator<<(PlainVector<T, L> a, int n) {
  for (int i = 0; i < L; ++i) a.lane[i] = static_cast<T>(a.lane[i] << n);
  return a;
}
template <class T, int L>
SINTER_FN PlainVector<T, L> operator>>(PlainVector<T, L> a, int n) {
  for (int i = 0; i < L; ++i) a.lane[i] = static_cast<T>(a.lane[i] >> n);
  return a;
}
template <class T, int Lanes>
struct VectorOf {
  using Type = PlainVector<T, Lanes>;
};
}  // namespace detail
#endif

SINTER_NAMESPACE_END
