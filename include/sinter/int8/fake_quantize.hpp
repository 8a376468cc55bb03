// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>

#include "sinter/core/finite.hpp"
#include "sinter/core/math.hpp"
#include "sinter/fn/output_kind.hpp"
#include "sinter/layers/activation.hpp"

SINTER_NAMESPACE_BEGIN

namespace fn {

/// y = the nearest of 256 numbers scale (q - zero), q from 0 to 255; halves upwards, as in 8 bits.
/// scale = (high - low) / 255, zero = the integer next to -low / scale, low <= 0 <= high: 0 is one of the numbers.
/// dx = dy where x rounds to one of them, else 0: the straight-through estimator (Bengio et al., "Estimating or
/// Propagating Gradients Through Stochastic Neurons for Conditional Computation", 2013).
template <double low, double high>
struct FakeQuantize {
  static constexpr const char* name = "FakeQuantize";
  static constexpr OutputKind output_kind = OutputKind::numbers;
  static constexpr double options[] = {low, high};
  static constexpr bool backward_reads_output = false;
  static constexpr double zeros = low == 0 ? 0.5 : 0;

  static constexpr auto scale = static_cast<float>((high - low) / 255);
  static constexpr auto zero =
      std::min(static_cast<std::int32_t>(-low / static_cast<double>(scale) + 0.5), std::int32_t{255});

  template <class V>
  SINTER_FN static V forward(V x) {
    const V whole = min(constant<V>(255 - zero), max(constant<V>(-zero), steps(x)));
    return select(x == x, product(constant<V>(static_cast<double>(scale)), whole), x);
  }
  template <class V>
  SINTER_FN static V backward(V x, V dy) {
    const V whole = steps(x);
    return select(whole < constant<V>(-zero), V(0), select(whole > constant<V>(255 - zero), V(0), dy));
  }

 private:
  /// The integer next to x / scale. Numbers beyond the range may become those next to it.
  template <class V>
  SINTER_FN static V steps(V x) {
    const V exact = product(x, constant<V>(1 / static_cast<double>(scale)));
    const V bounded = min(constant<V>(257 - zero), max(constant<V>(-2 - zero), exact));
    const V number = select(x == x, bounded, V(0));
    const V whole = convert<V>(convert<rebind<V, std::int32_t>>(number)), rest = number - whole;  // exact
    return whole + select(rest >= V(0.5f), V(1), select(rest < V(-0.5f), V(-1), V(0)));
  }
};

}  // namespace fn

/// In training and in float inference the nearest of 256 numbers from low to high, 0 among them; no gradient outside.
/// quantize() gives the value after it these 256 numbers, and computes nothing for the layer itself. For networks that
/// are trained for their 8 bits (Jacob et al., 2018), after ReLU and wherever a value has a range of its own.
template <auto low, auto high>
struct FakeQuantize : Activation<fn::FakeQuantize<static_cast<double>(low), static_cast<double>(high)>> {
  static constexpr bool valid =
      low <= 0 && high >= 0 && is_above_zero_constant((static_cast<double>(high) - static_cast<double>(low)) / 255);
  static constexpr bool check() {
    static_assert(valid,
                  "sinter: FakeQuantize<low, high> keeps 0 exactly: give it a finite low and high on both sides of 0");
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
namespace fn = internal::fn;
using internal::FakeQuantize;
}  // namespace sinter
