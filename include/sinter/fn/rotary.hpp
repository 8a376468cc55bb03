// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/fn/positional_encoding.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Of step t and number k of a head, the cosine of t 10000^(-2 (k / 2) / HeadSize), or its sine, negative for an even
/// k. Samples are [steps, features] with StepsFirst, or else [features, steps]; each HeadSize features are a head.
template <class T, Dims In, int HeadSize, bool StepsFirst, bool Sine>
struct RotaryTable {
  static constexpr int steps = StepsFirst ? In.channels : In.width, size = StepsFirst ? In.width : In.channels;
  T at[steps * size + fn::beyond_positions]{};

  static constexpr RotaryTable made() {
    constexpr auto& of_head = positional_encoding<double, series(steps, HeadSize)>;
    RotaryTable table;
    for (int i = 0; i < steps * size; ++i) {  // in this order, without which g++ takes quadratic time
      const int t = StepsFirst ? i / size : i % steps, k = (StepsFirst ? i % size : i / steps) % HeadSize;
      const double number = of_head.at[t * HeadSize + k / 2 * 2 + (Sine ? 0 : 1)];
      table.at[i] = static_cast<T>(Sine && k % 2 == 0 ? -number : number);
    }
    return table;
  }
};
template <class T, Dims In, int HeadSize, bool StepsFirst, bool Sine>
inline constexpr auto rotary = RotaryTable<T, In, HeadSize, StepsFirst, Sine>::made();
#if defined(__CUDACC__)
template <class T, Dims In, int HeadSize, bool StepsFirst, bool Sine>
__device__ constexpr RotaryTable<T, In, HeadSize, StepsFirst, Sine> rotary_of_device =
    RotaryTable<T, In, HeadSize, StepsFirst, Sine>::made();
#endif

}  // namespace detail

namespace fn {

/// y = c x, c a constant by the position of x: see detail::RotaryTable.   dx = c dy.
template <int HeadSize, bool StepsFirst, bool Sine>
struct Rotary {
  static constexpr const char* name = Sine ? "rotary sine" : "rotary cosine";
  static constexpr OutputKind output_kind = OutputKind::numbers;
  static constexpr OnnxFunctor onnx{"Mul"};
  static constexpr bool backward_reads_output = true;  // reads neither x nor y
  static constexpr bool steps_last = !StepsFirst;
  static constexpr double zeros = 0;

  template <class T, Dims In>
  SINTER_FN static constexpr const T* numbers() {
#if defined(__CUDA_ARCH__)
    return internal::detail::rotary_of_device<T, In, HeadSize, StepsFirst, Sine>.at;
#else
    return internal::detail::rotary<T, In, HeadSize, StepsFirst, Sine>.at;
#endif
  }
  template <class V>
  SINTER_FN static V forward(V x, V number) {
    return fn::product(x, number);
  }
  template <class V>
  SINTER_FN static V backward(V, V dy, V number) {
    return fn::product(dy, number);
  }
};

}  // namespace fn

SINTER_NAMESPACE_END

namespace sinter {
namespace fn = internal::fn;
}  // namespace sinter
