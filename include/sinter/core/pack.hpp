// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <type_traits>

#include "sinter/core/isa.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/core/pack_vector.hpp"

SINTER_NAMESPACE_BEGIN

/// A few numbers that are processed together, one per lane: the value type of the kernels.
///
/// Built on the vector extension of GCC and clang, so one source serves every instruction set. Whatever is written for
/// a Pack (`fma`, `select`, `max`, ..) is written for plain float and double as well: leaf mathematics is a template
/// over its value type and works on either.
template <class T, int Lanes>
struct Pack {
  using Value = T;
  using Vector = typename detail::VectorOf<T, Lanes>::Type;
  static constexpr int lanes = Lanes;

  Vector v;

  Pack() = default;
  // `s - {}` is a broadcast that the compiler may fold into an operand; `{} + s` it may not, because of -0.
  SINTER_FN Pack(T s) : v(s - Vector{}) {}
  // The constraint, always true, keeps g++ from taking the two for one before the lanes are known.
  SINTER_FN explicit Pack(Vector vector)
    requires(Lanes > 0)
      : v(vector) {}

  SINTER_FN static Pack load(const T* from) {
    Pack p;
    if constexpr (Lanes == 1)
      p.v[0] = *from;
    else
      __builtin_memcpy(&p.v, from, sizeof p.v);
    return p;
  }
  SINTER_FN void store(T* to) const {
    if constexpr (Lanes == 1)
      *to = v[0];
    else
      __builtin_memcpy(to, &v, sizeof v);
  }

  SINTER_FN T operator[](int lane) const { return v[lane]; }
  SINTER_FN void set(int lane, T value) { v[lane] = value; }

  SINTER_FN friend Pack operator+(Pack a, Pack b) { return Pack(a.v + b.v); }
  SINTER_FN friend Pack operator-(Pack a, Pack b) { return Pack(a.v - b.v); }
  SINTER_FN friend Pack operator*(Pack a, Pack b) { return Pack(a.v * b.v); }
  SINTER_FN friend Pack operator/(Pack a, Pack b) { return Pack(a.v / b.v); }
  SINTER_FN friend Pack operator-(Pack a) { return Pack(-a.v); }
  SINTER_FN friend Pack operator&(Pack a, Pack b)
    requires std::is_integral_v<T>
  {
    return Pack(a.v & b.v);
  }
  SINTER_FN friend Pack operator|(Pack a, Pack b)
    requires std::is_integral_v<T>
  {
    return Pack(a.v | b.v);
  }
  SINTER_FN friend Pack operator^(Pack a, Pack b)
    requires std::is_integral_v<T>
  {
    return Pack(a.v ^ b.v);
  }
  SINTER_FN friend Pack operator<<(Pack a, int n)
    requires std::is_integral_v<T>
  {
    return Pack(a.v << n);
  }
  SINTER_FN friend Pack operator>>(Pack a, int n)
    requires std::is_integral_v<T>
  {
    return Pack(a.v >> n);
  }
  SINTER_FN Pack& operator+=(Pack b) { return *this = *this + b; }
  SINTER_FN Pack& operator-=(Pack b) { return *this = *this - b; }
  SINTER_FN Pack& operator*=(Pack b) { return *this = *this * b; }

  /// Lane-wise truth: all bits set where it holds.
  struct Mask {
    using Bits = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
    using Vector = typename detail::VectorOf<Bits, Lanes>::Type;
    Vector v;
    SINTER_FN friend Mask operator&(Mask a, Mask b) { return {a.v & b.v}; }
    SINTER_FN friend Mask operator|(Mask a, Mask b) { return {a.v | b.v}; }
    SINTER_FN friend Mask operator!(Mask a) { return {~a.v}; }
  };
  SINTER_FN friend Mask operator<(Pack a, Pack b) { return {(typename Mask::Vector)(a.v < b.v)}; }
  SINTER_FN friend Mask operator>(Pack a, Pack b) { return {(typename Mask::Vector)(a.v > b.v)}; }
  SINTER_FN friend Mask operator<=(Pack a, Pack b) { return {(typename Mask::Vector)(a.v <= b.v)}; }
  SINTER_FN friend Mask operator>=(Pack a, Pack b) { return {(typename Mask::Vector)(a.v >= b.v)}; }
  SINTER_FN friend Mask operator==(Pack a, Pack b) { return {(typename Mask::Vector)(a.v == b.v)}; }
  SINTER_FN friend Mask operator!=(Pack a, Pack b) { return {(typename Mask::Vector)(a.v != b.v)}; }
};

template <class V>
inline constexpr bool is_pack = false;
template <class T, int L>
inline constexpr bool is_pack<Pack<T, L>> = true;

/// float of Pack<float, 8>, and float of float.
template <class V>
struct ScalarOf {
  using Type = V;
};
template <class T, int L>
struct ScalarOf<Pack<T, L>> {
  using Type = T;
};
template <class V>
using scalar_of = typename ScalarOf<V>::Type;

/// The same lanes with another number in them: Pack<int, 8> of Pack<float, 8>, and int of float.
template <class V, class T>
struct Rebind {
  using Type = T;
};
template <class U, int L, class T>
struct Rebind<Pack<U, L>, T> {
  using Type = Pack<T, L>;
};
template <class V, class T>
using rebind = typename Rebind<V, T>::Type;

/// Mathematics on numbers and packs of them, for functors and kernels. Names such as `exp` and `max` stay in here,
/// where `using namespace sinter` does not set them beside the standard's.
namespace fn {

// -- select, max, min, abs -------------------------------------------------------------------------------------------

template <class T>
  requires std::is_arithmetic_v<T>
SINTER_FN T select(bool condition, T yes, T no) {
  return condition ? yes : no;
}
template <class T, int L>
SINTER_FN Pack<T, L> select(typename Pack<T, L>::Mask condition, Pack<T, L> yes, Pack<T, L> no) {
#if SINTER_VECTORS
  if constexpr (L > 1) return Pack<T, L>(condition.v ? yes.v : no.v);
#endif
  for (int i = 0; i < L; ++i) no.v[i] = condition.v[i] ? yes.v[i] : no.v[i];
  return no;
}
template <class T, int L>
SINTER_FN Pack<T, L> select(typename Pack<T, L>::Mask condition, Pack<T, L> yes, std::type_identity_t<T> no) {
  return select(condition, yes, Pack<T, L>(no));
}

/// a where a > b, else b: the second operand where either is NaN.
template <class V>
SINTER_FN V max(V a, V b) {
  return select(a > b, a, b);
}
template <class V>
SINTER_FN V min(V a, V b) {
  return select(a < b, a, b);
}
#if SINTER_VECTORS && defined(__AVX__) && !defined(__clang__)
// The same in one instruction, which g++ does not find by itself.
SINTER_FN Pack<float, 8> max(Pack<float, 8> a, Pack<float, 8> b) {
  return Pack<float, 8>(__builtin_ia32_maxps256(a.v, b.v));
}
SINTER_FN Pack<float, 8> min(Pack<float, 8> a, Pack<float, 8> b) {
  return Pack<float, 8>(__builtin_ia32_minps256(a.v, b.v));
}
SINTER_FN Pack<double, 4> max(Pack<double, 4> a, Pack<double, 4> b) {
  return Pack<double, 4>(__builtin_ia32_maxpd256(a.v, b.v));
}
SINTER_FN Pack<double, 4> min(Pack<double, 4> a, Pack<double, 4> b) {
  return Pack<double, 4>(__builtin_ia32_minpd256(a.v, b.v));
}
#endif
#if SINTER_VECTORS && defined(__AVX512F__) && !defined(__clang__) && !defined(__CUDACC__)
SINTER_FN Pack<float, 16> max(Pack<float, 16> a, Pack<float, 16> b) {
  return Pack<float, 16>(__builtin_ia32_maxps512_mask(a.v, b.v, a.v, static_cast<unsigned short>(0xffff), 4));
}
SINTER_FN Pack<float, 16> min(Pack<float, 16> a, Pack<float, 16> b) {
  return Pack<float, 16>(__builtin_ia32_minps512_mask(a.v, b.v, a.v, static_cast<unsigned short>(0xffff), 4));
}
SINTER_FN Pack<double, 8> max(Pack<double, 8> a, Pack<double, 8> b) {
  return Pack<double, 8>(__builtin_ia32_maxpd512_mask(a.v, b.v, a.v, static_cast<unsigned char>(0xff), 4));
}
SINTER_FN Pack<double, 8> min(Pack<double, 8> a, Pack<double, 8> b) {
  return Pack<double, 8>(__builtin_ia32_minpd512_mask(a.v, b.v, a.v, static_cast<unsigned char>(0xff), 4));
}
#endif
template <class V>
SINTER_FN V abs(V a) {
  return select(a < V(0), -a, a);
}

// -- fma: a b + c with one rounding where the instruction set has it. Always explicit, so that results do not depend on
//    whether the compiler contracts. Without the instruction it is a product and a sum, on every compiler. ----------

template <class T>
  requires std::is_floating_point_v<T>
SINTER_FN T fma(T a, std::type_identity_t<T> b, std::type_identity_t<T> c) {
#if defined(__FMA__) || defined(__CUDA_ARCH__) || defined(__ARM_FEATURE_FMA)
  if constexpr (sizeof(T) == 4)
    return __builtin_fmaf(a, b, c);
  else
    return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}
template <class T, int L>
SINTER_FN Pack<T, L> fma(Pack<T, L> a, Pack<T, L> b, Pack<T, L> c) {
  using P [[maybe_unused]] = Pack<T, L>;
#if !defined(__FMA__) && !defined(__ARM_FEATURE_FMA)
  return a * b + c;
#else
#if SINTER_VECTORS && defined(__clang__)
  if constexpr (L > 1) return P(__builtin_elementwise_fma(a.v, b.v, c.v));
#else
#if SINTER_VECTORS && defined(__FMA__)
  if constexpr (std::is_same_v<T, float> && L == 4) return P(__builtin_ia32_vfmaddps(a.v, b.v, c.v));
  if constexpr (std::is_same_v<T, float> && L == 8) return P(__builtin_ia32_vfmaddps256(a.v, b.v, c.v));
  if constexpr (std::is_same_v<T, double> && L == 2) return P(__builtin_ia32_vfmaddpd(a.v, b.v, c.v));
  if constexpr (std::is_same_v<T, double> && L == 4) return P(__builtin_ia32_vfmaddpd256(a.v, b.v, c.v));
#endif
#if SINTER_VECTORS && defined(__AVX512F__)
#if defined(__CUDACC__)  // which takes this mask for a signed number
  constexpr short all = -1;
#else
  constexpr unsigned short all = 0xffff;
#endif
  if constexpr (std::is_same_v<T, float> && L == 16) return P(__builtin_ia32_vfmaddps512_mask(a.v, b.v, c.v, all, 4));
  if constexpr (std::is_same_v<T, double> && L == 8)
    return P(__builtin_ia32_vfmaddpd512_mask(a.v, b.v, c.v, static_cast<unsigned char>(0xff), 4));
#endif
#if SINTER_VECTORS && defined(__aarch64__) && !defined(__CUDACC__)
  if constexpr (std::is_same_v<T, float> && L == 2) return P(__builtin_aarch64_fmav2sf(a.v, b.v, c.v));
  if constexpr (std::is_same_v<T, float> && L == 4) return P(__builtin_aarch64_fmav4sf(a.v, b.v, c.v));
  if constexpr (std::is_same_v<T, double> && L == 2) return P(__builtin_aarch64_fmav2df(a.v, b.v, c.v));
#endif
#endif
  P r;
  for (int i = 0; i < L; ++i) r.v[i] = fma(a.v[i], b.v[i], c.v[i]);
  return r;
#endif
}

/// a b, rounded, in a form that no compiler contracts into a sum that the caller adds it to.
template <class V>
SINTER_FN V product(V a, V b) {
  return fma(a, b, V(0));
}

// -- conversions between number types, and between a number and its bits ---------------------------------------------

template <class To, class From>
  requires(std::is_arithmetic_v<From>)
SINTER_FN To convert(From x) {
  return static_cast<To>(x);
}
/// Lane by lane, towards zero: `convert<Pack<int, 8>>(pack)`.
template <class To, class T, int L>
SINTER_FN To convert(Pack<T, L> x) {
#if SINTER_VECTORS
  if constexpr (L > 1) return To(__builtin_convertvector(x.v, typename To::Vector));
#endif
  To r;
  for (int i = 0; i < L; ++i) r.v[i] = static_cast<typename To::Value>(x.v[i]);
  return r;
}

template <class To, class From>
SINTER_FN To bit_cast(From x) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, x);
}

}  // namespace fn

/// The signed integer of the same size, lane by lane: int32_t of float, Pack<int64_t, 4> of Pack<double, 4>.
template <class V>
struct IntegerOf;
template <>
struct IntegerOf<float> {
  using Type = std::int32_t;
};
template <>
struct IntegerOf<double> {
  using Type = std::int64_t;
};
template <class T, int L>
struct IntegerOf<Pack<T, L>> {
  using Type = Pack<typename IntegerOf<T>::Type, L>;
};
template <class V>
using integer_of = typename IntegerOf<V>::Type;

namespace fn {

/// {a, b}[Index]..: lanes of two packs, a's numbered from 0 and b's from L.
template <int... Index, class T, int L>
SINTER_FN Pack<T, L> shuffle(Pack<T, L> a, [[maybe_unused]] Pack<T, L> b) {
#if !defined(__CUDACC__)  // whose front end does not know the builtin
  if constexpr (L > 1)
    return Pack<T, L>(__builtin_shufflevector(a.v, b.v, Index...));
  else
#endif
    return Pack<T, L>(typename Pack<T, L>::Vector{(Index < L ? a.v[Index % L] : b.v[Index % L])...});
}

/// a + b, never contracted with a product that made one of them: for sums of what a user's functor returned.
template <class T, int L>
SINTER_FN Pack<T, L> add(Pack<T, L> a, Pack<T, L> b) {
  return fma(a, Pack<T, L>(T(1)), b);
}

/// The sum over the lanes, halves added to halves: one order for every caller.
template <class T, int L>
SINTER_FN T sum(Pack<T, L> x) {
  if constexpr (L == 1) {
    return x.v[0];
  } else {
    Pack<T, L / 2> low, high;
    __builtin_memcpy(&low, &x, sizeof low);
    __builtin_memcpy(&high, reinterpret_cast<const char*>(&x) + sizeof low, sizeof high);
    return sum(low + high);
  }
}

}  // namespace fn

SINTER_NAMESPACE_END

namespace sinter {
namespace fn = internal::fn;
using internal::scalar_of;
}  // namespace sinter
