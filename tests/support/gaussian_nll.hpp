// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/math.hpp"
#include "sinter/loss/target.hpp"

namespace sinter_test {

/// The negative log-likelihood of a number, of whose distribution two outputs are the mean and the logarithm of the
/// variance. `Scale` is the output that is the latter.
template <int Scale = 1>
struct GaussianNLL {
  using Target = sinter::RowTarget;
  static constexpr int target_size = 1;
  [[maybe_unused]] static constexpr const char* name = "GaussianNLL";

  template <class V>
  SINTER_FN V forward(const V* y, int, const V* target) const {
    const V d = y[0] - target[0];
    return V(0.5f) * (y[Scale] + d * d * sinter::fn::exp(-y[Scale]));
  }
  template <class V>
  SINTER_FN void backward(const V* y, int, const V* target, V scale, V* dy) const {
    const V d = y[0] - target[0], p = sinter::fn::exp(-y[Scale]);
    dy[0] = scale * d * p;
    dy[Scale] = scale * V(0.5f) * (V(1) - d * d * p);
  }
};
/// The same, which says how many outputs it reads.
struct GaussianNLLOfTwo : GaussianNLL<> {
  static constexpr int outputs = 2;
};

}  // namespace sinter_test
