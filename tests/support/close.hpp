// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "sinter/core/isa.hpp"
#include "sinter/core/pack.hpp"

/// How tests compare numbers.
namespace closeness {

#if defined(__FAST_MATH__)
inline constexpr bool exact = false;
#else
inline constexpr bool exact = true;
#endif

/// |a - b| / (|b| + 1e-12) in the 2-norm: how the contract measures errors between tensors.
template <class A, class B>
double relative_error(const A& a, const B& b) {
  if (std::size(a) != std::size(b)) return std::numeric_limits<double>::infinity();
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < std::size(a); ++i) {
    const double d = static_cast<double>(a[i]) - static_cast<double>(b[i]), x = static_cast<double>(b[i]);
    difference += d * d;
    norm += x * x;
  }
  return std::sqrt(difference) / (std::sqrt(norm) + 1e-12);
}

/// |got - want| in units in the last place of want as a T. Both NaN, or both the same infinity, is 0.
template <class T>
double ulps(T got, long double want) {
  const T rounded = static_cast<T>(want);
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got) ? 0 : 1e30;
  if (std::isinf(rounded) || std::isinf(got)) return rounded == got ? 0 : 1e30;
  int exponent = std::numeric_limits<T>::min_exponent;
  if (rounded != 0) exponent = std::max(exponent, std::ilogb(rounded) + 1);
  return static_cast<double>(std::fabs(got - want) / std::ldexp(1.0L, exponent - std::numeric_limits<T>::digits));
}

/// The same bits. (-ffast-math promises less: then close to 1e-5.)
template <class T>
bool same(T a, T b) {
  if constexpr (exact) return std::memcmp(&a, &b, sizeof a) == 0;
  return std::fabs(a - b) <= 1e-5 * (1 + std::fabs(b));
}
template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](T x, T y) { return same(x, y); });
}

/// df/dx by central differences, f a function of a vector.
template <class F>
std::vector<double> central_differences(F f, std::vector<double> x, double h = 1e-6) {
  std::vector<double> gradient;
  for (double& xi : x) {
    const double at = xi;
    xi = at + h;
    const double above = f(x);
    xi = at - h;
    const double below = f(x);
    xi = at;
    gradient.push_back((above - below) / (2 * h));
  }
  return gradient;
}

/// Numbers in (low, high), the same on every machine.
template <class T = double>
std::vector<T> numbers(std::size_t n, double low, double high, std::uint64_t seed = 1) {
  std::vector<T> values(n);
  for (T& value : values) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    value = static_cast<T>(std::fma(high - low, static_cast<double>(seed >> 11) * 0x1p-53, low));
  }
  return values;
}

/// body.template operator()<L>() for L = 1, 2, 4, .. as far as registers go.
template <class T, int L = 1, class Body>
void for_each_lane_count(Body body) {
  if constexpr (L * sizeof(T) <= sinter::isa::Native::wide_bytes) {
    body.template operator()<L>();
    for_each_lane_count<T, 2 * L>(body);
  }
}

/// values[i * L + lane] as n packs, and back.
template <int L, class T>
std::vector<sinter::internal::Pack<T, L>> to_packs(const std::vector<T>& values) {
  std::vector<sinter::internal::Pack<T, L>> packs(values.size() / L);
  for (std::size_t i = 0; i < packs.size(); ++i) packs[i] = sinter::internal::Pack<T, L>::load(&values[i * L]);
  return packs;
}
template <class T, int L>
std::vector<T> from_packs(const std::vector<sinter::internal::Pack<T, L>>& packs) {
  std::vector<T> values(packs.size() * L);
  for (std::size_t i = 0; i < packs.size(); ++i) packs[i].store(&values[i * L]);
  return values;
}
/// Lane `lane` of each pack.
template <class T>
std::vector<T> lane(const std::vector<T>& values, int lanes, int lane) {
  std::vector<T> one;
  for (std::size_t i = static_cast<std::size_t>(lane); i < values.size(); i += static_cast<std::size_t>(lanes))
    one.push_back(values[i]);
  return one;
}

}  // namespace closeness
