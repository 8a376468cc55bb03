// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "sinter/core/isa.hpp"
#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// A number's bits, and which of them are its exponent: all of them are set where it is NaN or infinite.
template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
template <class T>
inline constexpr BitsOf<T> exponent_mask = sizeof(T) == 4 ? BitsOf<T>(0x7f800000) : BitsOf<T>(0x7ff0000000000000);
/// The exponent of 2^n.
template <class T>
inline constexpr BitsOf<T> exponent_of(int n) {
  return static_cast<BitsOf<T>>((sizeof(T) == 4 ? 127 : 1023) + n) << (sizeof(T) == 4 ? 23 : 52);
}

/// Neither NaN nor infinite. Reads bits, and takes a reference: it holds under -ffast-math too.
template <class T>
  requires std::is_floating_point_v<T>
SINTER_FN bool is_finite(const T& x) {
  constexpr BitsOf<T> exponent = exponent_mask<T>;
  BitsOf<T> bits;
  std::memcpy(&bits, &x, sizeof bits);
  return (bits & exponent) != exponent;
}

/// The same of a number that the compiler knows, also as a float.
constexpr bool is_finite_constant(double x) {
  constexpr double most = std::numeric_limits<float>::max();
  return x >= -most && x <= most;
}

/// Whether that number and its inverse are finite and above 0, also as floats.
constexpr bool is_above_zero_constant(double x) {
  return x >= std::numeric_limits<float>::min() && is_finite_constant(x);
}

/// Whether sums of a number times losses, and the inverse of such a sum, stay within floats; 0 leaves out.
constexpr bool is_weight(double x) { return x == 0 || (x >= 1e-30 && x <= 1e30); }
inline constexpr const char* weight_range = "0 or a number from 1e-30 to 1e30";

/// Reads bits, and takes a reference: it holds under -ffast-math too.
template <class T>
  requires std::is_floating_point_v<T>
SINTER_FN bool is_nan(const T& x) {
  constexpr BitsOf<T> infinity = exponent_mask<T>;
  BitsOf<T> bits;
  std::memcpy(&bits, &x, sizeof bits);
  return (bits & (infinity | (infinity - 1))) > infinity;
}

/// Whether a number is so large, or not finite, that adding a few hundred such ones might give no finite number: 1/512
/// of the largest one and more.
template <class T>
  requires std::is_floating_point_v<T>
SINTER_FN bool is_large(const T& x) {
  constexpr BitsOf<T> one = BitsOf<T>(1) << (sizeof(T) == 4 ? 23 : 52), exponent = exponent_mask<T>;
  BitsOf<T> bits;
  std::memcpy(&bits, &x, sizeof bits);
  return (bits & exponent) >= exponent - 9 * one;
}

/// The largest exponent of n numbers. Without a branch, so that compilers use vectors; g++ does so only in a function
/// of its own (docs/decisions/core.md).
template <class Isa = isa::Native, class T>
  requires std::is_floating_point_v<T>
SINTER_SHARED BitsOf<T> largest_exponent(const T* x, std::size_t n) {
  using Bits = BitsOf<T>;
  constexpr std::size_t together = 32;
  Bits largest[together] = {};
  const auto take = [&](Bits& most, std::size_t i) {
    Bits bits;
    std::memcpy(&bits, x + i, sizeof bits);
    bits &= exponent_mask<T>;
    most = bits > most ? bits : most;
  };
  std::size_t first = 0;
  for (; first + together <= n; first += together)
    for (std::size_t i = 0; i < together; ++i) take(largest[i], first + i);
  for (std::size_t i = first; i < n; ++i) take(largest[0], i);
  Bits all = 0;
  for (const Bits bits : largest) all = bits > all ? bits : all;
  return all;
}

/// All of n numbers.
template <class Isa = isa::Native, class T>
bool all_finite(const T* x, std::size_t n) {
  return largest_exponent<Isa>(x, n) != exponent_mask<T>;
}

SINTER_NAMESPACE_END
