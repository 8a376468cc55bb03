// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <type_traits>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// The vector extension of GCC and clang, where SINTER_VECTORS is 1. Not where nvcc reads the code of the host once
/// more when it compiles for a GPU: there it knows no vectors, and then drops that code.
#if !defined(__CUDA_ARCH__)
#define SINTER_VECTORS 1
#else
#define SINTER_VECTORS 0
#endif

namespace detail {

/// The same operations without it: for a single lane, which compilers keep in no register of floats if it is a vector,
/// and for that reading of nvcc's.
template <class T, int Lanes>
struct PlainVector {
  T lane[Lanes];
  SINTER_FN T operator[](int i) const { return lane[i]; }
  SINTER_FN T& operator[](int i) { return lane[i]; }
};
#define SINTER_PLAIN(op, Result, of)                                                         \
  template <class T, int L>                                                                  \
  SINTER_FN PlainVector<Result, L> operator op(PlainVector<T, L> a, PlainVector<T, L> b) {   \
    PlainVector<Result, L> r{};                                                              \
    for (int i = 0; i < L; ++i) r.lane[i] = static_cast<Result>(of(a.lane[i] op b.lane[i])); \
    return r;                                                                                \
  }
template <class T>
using Truth = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
SINTER_PLAIN(+, T, )
SINTER_PLAIN(-, T, )
SINTER_PLAIN(*, T, )
SINTER_PLAIN(/, T, )
SINTER_PLAIN(&, T, )
SINTER_PLAIN(|, T, )
SINTER_PLAIN(^, T, )
SINTER_PLAIN(<, Truth<T>, -)
SINTER_PLAIN(>, Truth<T>, -)
SINTER_PLAIN(<=, Truth<T>, -)
SINTER_PLAIN(>=, Truth<T>, -)
SINTER_PLAIN(==, Truth<T>, -)
SINTER_PLAIN(!=, Truth<T>, -)
#undef SINTER_PLAIN
template <class T, int L>
SINTER_FN PlainVector<T, L> operator-(T a, PlainVector<T, L> b) {
  PlainVector<T, L> r{};
  for (int i = 0; i < L; ++i) r.lane[i] = a - b.lane[i];
  return r;
}
template <class T, int L>
SINTER_FN PlainVector<T, L> operator-(PlainVector<T, L> a) {
  for (int i = 0; i < L; ++i) a.lane[i] = static_cast<T>(-a.lane[i]);
  return a;
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

#if SINTER_VECTORS
template <class T, int Lanes>
struct VectorOf {
  using Type [[gnu::vector_size(Lanes * sizeof(T))]] = T;
};
template <class T>
struct VectorOf<T, 1> {
  using Type = PlainVector<T, 1>;
};
#else
template <class T, int Lanes>
struct VectorOf {
  using Type = PlainVector<T, Lanes>;
};
#endif
}  // namespace detail

SINTER_NAMESPACE_END
