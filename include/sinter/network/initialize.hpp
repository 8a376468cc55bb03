// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sinter/core/macros.hpp"
#include "sinter/core/pack_sqrt.hpp"
#include "sinter/core/random.hpp"
#include "sinter/core/strict.hpp"
#include "sinter/ops/parameter.hpp"

SINTER_NAMESPACE_BEGIN

/// How parameters start, by PyTorch's formulas. U is uniform in an interval, N normal with a standard deviation.
enum class Initialization {
  pytorch,          ///< U(-1 / sqrt(fan_in), 1 / sqrt(fan_in)), biases too: what Linear and Conv2d do there
  kaiming_uniform,  ///< U(-b, b), b = sqrt(6 / fan_in); biases 0 here and below
  kaiming_normal,   ///< N(sqrt(2 / fan_in))
  xavier_uniform,   ///< U(-b, b), b = sqrt(6 / (fan_in + fan_out))
  xavier_normal,    ///< N(sqrt(2 / (fan_in + fan_out)))
};

namespace detail {

/// 4 numbers of U(-1, 1): the middle of each of 2^32 equal parts.
struct UniformOfWords {
  double value[4];
  explicit UniformOfWords(const Words<std::uint32_t>& random) {
    for (int i = 0; i < 4; ++i) value[i] = (2.0 * random.word[i] - 4294967295.0) * 0x1p-32;
  }
};

/// 4 numbers of N(1), by Box and Muller (1958): sqrt(-2 ln u) (cos a, sin a) for each two words. Largest |value| 6.8;
/// sine and cosine by minimax polynomials with an error of 4e-15.
struct NormalOfWords {
  double value[4];
  explicit NormalOfWords(const Words<std::uint32_t>& random);
};

}  // namespace detail

/// Fills one parameter. Numbers are functions of (seed, layer, is_bias, place): the same on every machine, and in float
/// the rounded ones of double. Counter {element / 4, layer, is_bias, 0x1217}.
template <class T>
SINTER_COLD void initialize(std::span<T> values, Initialization how, bool is_bias, int fan_in, int fan_out,
                            std::uint64_t seed, int layer) {
  const bool normal = how == Initialization::kaiming_normal || how == Initialization::xavier_normal;
  const bool xavier = how == Initialization::xavier_uniform || how == Initialization::xavier_normal;
  const double numerator = how == Initialization::pytorch ? 1 : normal ? 2 : 6;
  const double scale = is_bias && how != Initialization::pytorch
                           ? 0
                           : fn::sqrt(numerator / (static_cast<double>(fan_in) + (xavier ? fan_out : 0)));
  for (std::size_t first = 0; first < values.size(); first += 4) {
    const auto random = philox(Words<std::uint32_t>{{static_cast<std::uint32_t>(first / 4),
                                                     static_cast<std::uint32_t>(layer), is_bias ? 1u : 0u, 0x1217}},
                               seed);
    const auto store = [&](const auto& from) {
      for (std::size_t i = 0; i < 4 && first + i < values.size(); ++i)
        values[first + i] = static_cast<T>(from.value[i] * scale);
    };
    if (normal)
      store(detail::NormalOfWords(random));
    else
      store(detail::UniformOfWords(random));
  }
}
/// Fills a parameter of an op.
template <class T>
SINTER_COLD void initialize(std::span<T> values, Initialization how, const Parameter& p, std::uint64_t seed) {
  const bool other = how == Initialization::pytorch && p.fan_in_of_pytorch > 0;
  initialize(values, how, p.is_bias, other ? p.fan_in_of_pytorch : p.fan_in, p.fan_out, seed, p.stream);
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::Initialization;
}  // namespace sinter

#if SINTER_BODIES
#include "sinter/network/initialize.ipp"
#endif
