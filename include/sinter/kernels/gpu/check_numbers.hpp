// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "sinter/core/finite.hpp"
#include "sinter/kernels/gpu/executor.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// Whether a label is not one of `classes`, or a number is not finite: block by block.
template <class Number>
struct CheckNumbers {
  static constexpr bool whole_grid = true;
  static constexpr int threads = 256;

  struct Args {
    const Number* numbers;
    std::size_t count;
    int classes;
    std::uint32_t* wrong;  // [blocks]
  };

  template <class X>
  SINTER_FN static void run(X& x, const Args& a) {
    constexpr std::size_t at_once = std::size_t{1} << 30;
    bool wrong = false;
    for (std::size_t first = 0; first < a.count; first += at_once) {
      const auto numbers = x.global(a.numbers + first);
      const std::size_t left = a.count - first;
      x.items(static_cast<int>(left < at_once ? left : at_once), [&](int i) {
        const Number number = numbers[i];
        if constexpr (std::is_integral_v<Number>) {
          const auto label = static_cast<long long>(number);
          wrong |= label < 0 || label >= a.classes;
        } else {
          wrong |= !is_finite(number);
        }
      });
    }
    const bool any = x.any(wrong);
    x.once([&] { x.global(a.wrong)[x.block()] = any ? 1u : 0u; });
  }
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
