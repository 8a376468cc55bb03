// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/model/program.hpp"

namespace bench {

/// Dense flops for one sample, zeros counted too. A training step computes each product forward, the gradient of its
/// weights, and, behind the first one, the gradient of its input.
template <class Model>
constexpr double forward_flops() {
  double flops = 0;
  for (const sinter::internal::Op& op : sinter::internal::Program<Model>::ops)
    flops += 2.0 * static_cast<double>(op.multiply_adds());
  return flops;
}
template <class Model>
constexpr double training_flops() {
  double flops = 0;
  for (const sinter::internal::Op& op : sinter::internal::Program<Model>::ops)
    flops += (op.inputs[0] == 0 ? 4.0 : 6.0) * static_cast<double>(op.multiply_adds());
  return flops;
}

}  // namespace bench
