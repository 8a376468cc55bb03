// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "sinter/core/pack.hpp"
#include "sinter/core/unroll.hpp"
#include "sinter/kernels/apply_optimizer.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// One step of an optimizer on elements [begin, end) of the arenas; `state` is [States][stride], and untouched where
/// the step does not use it. Returns the sum of the squares of the numbers written.
template <int States, class Isa, class V, class Update, class T>
SINTER_SHARED T update_numbers(const Update& step, T* parameters, const T* gradient, T* state, std::ptrdiff_t stride,
                               int begin, int end) {
  constexpr int lanes = V::lanes;
  const auto all = [&](auto stored) {
    const auto one = [&](int i, V& squares) SINTER_LAMBDA {
      V weight = V::load(parameters + i), own[States > 0 ? States : 1] = {};
      if constexpr (stored.value)
        unroll<States>([&](int s) SINTER_LAMBDA { own[s] = V::load(state + s * stride + i); });
      step(weight, V::load(gradient + i), own);
      weight.store(parameters + i);
      squares = fn::fma(weight, weight, squares);
      if constexpr (stored.value)
        unroll<States>([&](int s) SINTER_LAMBDA {
          own[s].store(state + s * stride + i);
          squares = fn::fma(own[s], own[s], squares);
        });
    };
    V even(0), odd(0);  // one sum would be a chain, and slower than the memory
    int i = begin;
    for (; i + 2 * lanes <= end; i += 2 * lanes) {
      one(i, even);
      one(i + lanes, odd);
    }
    if (i < end) one(i, even);
    return fn::sum(even + odd);
  };
  if (uses_state(step)) return all(std::true_type{});
  return all(std::false_type{});
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
