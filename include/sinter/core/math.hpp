// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "sinter/core/pack.hpp"

SINTER_NAMESPACE_BEGIN

namespace fn {

/// exp, log, tanh and sigmoid without branches, on float, double and packs of them; a lane gives the bits of the
/// scalar.
///
/// Largest error in units in the last place (all 2^32 floats with a stride of 7; 2e7 doubles), with and without fma:
///
///              exp    log   tanh   sigmoid
///   float     1.01   0.82   6.15    2.33
///   double    1.04   0.83   2.51    2.31
///
/// The polynomials are our own minimax fits (Remez exchange in 50 digits); rounding dominates their error. Under
/// -ffast-math without fma instructions the reduction of exp loses digits: about 1e-5 (float) and 2e-14 (double) of e^x
/// at the ends of its range.

/// A constant of type V from its double.
template <class V>
SINTER_FN V constant(double c) {
  return V(static_cast<scalar_of<V>>(c));
}

/// c0 + c1 x + c2 x^2 + .. by Horner's rule.
template <class V>
SINTER_FN V polynomial(V, double c0) {
  return constant<V>(c0);
}
template <class V, class... More>
SINTER_FN V polynomial(V x, double c0, More... more) {
  return fma(x, polynomial(x, more...), constant<V>(c0));
}

namespace parts {

/// The layout of a number's bits, and ln 2 in two parts: a multiple of the first with an exponent is exact.
template <class T>
struct Format;
template <>
struct Format<float> {
  using Bits = std::uint32_t;
  static constexpr int mantissa = 23, bias = 127;
  static constexpr Bits sign = 0x80000000u, sqrt_half = 0x3f3504f3u, infinity = 0x7f800000u, nan = 0x7fc00000u;
  static constexpr double ln2_high = 0.693145751953125, ln2_low = 1.4286068203094172321e-6;
  static constexpr double exp_zero = -104, exp_infinite = 89, tanh_one = 9.1, least_normal = 0x1p-126, lift = 0x1p23;
};
template <>
struct Format<double> {
  using Bits = std::uint64_t;
  static constexpr int mantissa = 52, bias = 1023;
  static constexpr Bits sign = Bits{1} << 63, sqrt_half = 0x3fe6a09e667f3bcdu, infinity = 0x7ff0000000000000u,
                        nan = 0x7ff8000000000000u;
  static constexpr double ln2_high = 0.6931471805601177038624883, ln2_low = -1.7239444525614834773e-13;
  static constexpr double exp_zero = -746, exp_infinite = 710, tanh_one = 19.1, least_normal = 0x1p-1022, lift = 0x1p52;
};
template <class V>
using FormatOf = Format<scalar_of<V>>;
template <class V>
using BitsOf = rebind<V, typename FormatOf<V>::Bits>;

template <class V>
SINTER_FN V from_bits(typename FormatOf<V>::Bits bits) {
  return bit_cast<V>(BitsOf<V>(bits));
}

/// |x| and the sign of x, and back: exact for -0 and NaN too.
template <class V>
struct SignSplit {
  V magnitude;
  BitsOf<V> sign;
  SINTER_FN explicit SignSplit(V x) {
    const BitsOf<V> bits = bit_cast<BitsOf<V>>(x);
    sign = bits & BitsOf<V>(FormatOf<V>::sign);
    magnitude = bit_cast<V>(bits ^ sign);
  }
  SINTER_FN V restore(V positive) const { return bit_cast<V>(bit_cast<BitsOf<V>>(positive) | sign); }
};

/// What multiplies a normal number by 2^k when added to its bits.
template <class V>
SINTER_FN BitsOf<V> exponent_bits(rebind<V, std::int32_t> k) {
  return convert<BitsOf<V>>(k) << FormatOf<V>::mantissa;
}
/// 2^k for an exponent of a normal number.
template <class V>
SINTER_FN V power_of_two(rebind<V, std::int32_t> k) {
  return bit_cast<V>(exponent_bits<V>(k + rebind<V, std::int32_t>(FormatOf<V>::bias)));
}

/// x = k ln 2 + r with |r| <= ln(2) / 2, and e^r - 1 by a polynomial of degree 6 (float, error 3.1e-9 of e^r) or 11
/// (double, 3.7e-18). x is bounded, or NaN: then r is.
template <class V>
struct ExpReduced {
  rebind<V, std::int32_t> k;
  V expm1_r;

  SINTER_FN explicit ExpReduced(V x) {
    using F = FormatOf<V>;
    const V nearest = fma(x, constant<V>(1.4426950408889634074), select(x < V(0), constant<V>(-0.5), constant<V>(0.5)));
    k = convert<rebind<V, std::int32_t>>(select(x == x, nearest, V(0)));
    const V n = convert<V>(k);
    const V r = fma(n, constant<V>(-F::ln2_low), fma(n, constant<V>(-F::ln2_high), x));
    expm1_r = fma(r * r, quotient(r), r);
  }

 private:
  /// (e^r - 1 - r) / r^2
  SINTER_FN static V quotient(V r) {
    if constexpr (sizeof(scalar_of<V>) == 4)
      return polynomial(r, 0.49999993432901983727, 0.1666652039742229911, 0.04166839061762480331,
                        0.0083687452629878479391, 0.0013814548817277106732);
    else
      return polynomial(r, 0.50000000000000106688, 0.16666666666666411504, 0.041666666666529728024,
                        0.0083333333334949803072, 0.0013888888943760036907, 0.00019841269505766723989,
                        0.00002480149294954600319, 2.7557586810544730444e-6, 2.7630306284486651002e-7,
                        2.5000016632105547639e-8);
  }
};

/// (ln((1 + s) / (1 - s)) / s - 2) / s^2, of z = s^2.
template <class V>
SINTER_FN V atanh_tail(V z) {
  if constexpr (sizeof(scalar_of<V>) == 4)
    return polynomial(z, 0.6666677655014211933, 0.39977518479817789488, 0.29872403153050067427);
  else
    return polynomial(z, 0.66666666666667346548, 0.39999999999412874467, 0.28571428742827664379, 0.22222198524342180441,
                      0.18183567044668022517, 0.15313976620084646281, 0.14796731358465263355);
}

}  // namespace parts

/// e^x. 0 below the least subnormal, infinite above the largest number.
template <class V>
SINTER_FN V exp(V x) {
  using F = parts::FormatOf<V>;
  const parts::ExpReduced<V> reduced(min(constant<V>(F::exp_infinite), max(constant<V>(F::exp_zero), x)));
  // Half of k is added to the exponent and half is a factor: neither 2^128 nor 2^-149 is a normal number.
  const auto half = reduced.k >> 1;
  const V part = bit_cast<V>(bit_cast<parts::BitsOf<V>>(reduced.expm1_r + V(1)) + parts::exponent_bits<V>(half));
  return part * parts::power_of_two<V>(reduced.k - half);
}

/// ln x. -infinity at 0, NaN below.
///
/// x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), s = f / (2 + f), ln(1 + f) = f - f^2/2 + s (f^2/2 + s^2 P(s^2))
/// (the splitting of fdlibm's e_log.c); P of degree 2 (float, error 8.1e-10) or 6 (double, 1.3e-18).
template <class V>
SINTER_FN V log(V x) {
  using F = parts::FormatOf<V>;
  using Bits = parts::BitsOf<V>;
  using Int = rebind<V, std::int32_t>;
  constexpr typename F::Bits one = typename F::Bits{1} << F::mantissa;

  const auto subnormal = x < constant<V>(F::least_normal);
  const V normal = select(subnormal, x * constant<V>(F::lift), x);
  const Bits shifted = bit_cast<Bits>(normal) + Bits(F::bias * one - F::sqrt_half);
  const V f = bit_cast<V>((shifted & Bits(one - 1)) + Bits(F::sqrt_half)) - V(1);
  const V k =
      convert<V>(convert<Int>(shifted >> F::mantissa) - Int(F::bias)) + select(subnormal, V(-F::mantissa), V(0));

  const V s = f / (V(2) + f);
  const V minus_half_f = f * constant<V>(-0.5);
  const V u = fma(s, fma(s * s, parts::atanh_tail(s * s), f * f * constant<V>(0.5)), k * constant<V>(F::ln2_low));
  const V finite = fma(k, constant<V>(F::ln2_high), f + fma(minus_half_f, f, u));

  const V at_zero = select(x == V(0), -parts::from_bits<V>(F::infinity), parts::from_bits<V>(F::nan));
  return select(x < parts::from_bits<V>(F::infinity), select(x > V(0), finite, at_zero), x);
}

/// float: tanh x = x P(x^2) / Q(x^2) of degrees 4 and 5, error 9.9e-10 of tanh x up to |x| = 9.02 and 1 from there on;
/// below 1 as x + x (P - Q) / Q, whose second term is small: 1.4 units below 1. Faster than the formula for double
/// (docs/decisions/core.md).
/// double: tanh x = -e / (e + 2) with the sign of x, e = exp(-2 |x|) - 1, which keeps its digits near 0.
template <class V>
  requires(sizeof(scalar_of<V>) == 4)
SINTER_FN V tanh(V x) {
  const V bounded = min(constant<V>(9.02), max(constant<V>(-9.02), x)), z = bounded * bounded;
  const V p = polynomial(z, 0.13786961368040737, 0.00401052092103022, 3.163125328376128e-05, 5.0901179336105566e-08);
  const V q = polynomial(z, 0.47120294083038994, 0.02774484658855154, 0.00042109927284796956, 1.6206627111443932e-06,
                         7.401280968765213e-10);
  const auto below_one = z < V(1);
  const V quotient = fma(z, select(below_one, p - q, p), select(below_one, V(0), V(1))) / fma(z, q, V(1));
  return min(V(1), max(V(-1), fma(bounded, quotient, select(below_one, bounded, V(0)))));  // rounding may reach above
}
template <class V>
  requires(sizeof(scalar_of<V>) == 8)
SINTER_FN V tanh(V x) {
  const parts::SignSplit<V> split(x);
  const parts::ExpReduced<V> reduced(min(constant<V>(parts::FormatOf<V>::tanh_one), split.magnitude) * V(-2));
  const V scale = parts::power_of_two<V>(reduced.k);
  const V e = fma(scale, reduced.expm1_r, scale - V(1));
  return split.restore(-e / (e + V(2)));
}

/// 1 / (1 + e^-x), from e^-|x|, which does not overflow.
template <class V>
SINTER_FN V sigmoid(V x) {
  const V e = exp(-parts::SignSplit<V>(x).magnitude);
  return select(x < V(0), e, V(1)) / (e + V(1));
}

}  // namespace fn

SINTER_NAMESPACE_END

namespace sinter {
namespace fn = internal::fn;
}  // namespace sinter
