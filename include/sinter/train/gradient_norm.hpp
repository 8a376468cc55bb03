// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "sinter/core/pack_sqrt.hpp"
#include "sinter/model/program.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// The norm of the gradients of all parameters that are not frozen, in double and always in the same order: 16 sums
/// side by side. `factors` are those on the rates, or empty.
template <class Model, class T>
double gradient_norm(const T* gradient, const std::vector<double>& factors) {
  constexpr int side_by_side = 16;
  double sums[side_by_side] = {};
  for (std::size_t i = 0; i < Program<Model>::parameters.size(); ++i) {
    if (!factors.empty() && factors[i] == 0) continue;
    const Parameter& p = Program<Model>::parameters[i];
    const T* const own = gradient + p.offset;
    int k = 0;
    for (; k + side_by_side <= p.size; k += side_by_side)
      for (int lane = 0; lane < side_by_side; ++lane) {
        const double g = static_cast<double>(own[k + lane]);
        sums[lane] = fn::fma(g, g, sums[lane]);
      }
    for (int lane = 0; k + lane < p.size; ++lane) {
      const double g = static_cast<double>(own[k + lane]);
      sums[lane] = fn::fma(g, g, sums[lane]);
    }
  }
  double total = 0;
  for (const double sum : sums) total += sum;
  return fn::sqrt(total);
}

/// What clip_grad_norm_ multiplies a gradient of that norm by.
constexpr double clip_coefficient(double norm, double max_norm) {
  const double coefficient = max_norm / (norm + 1e-6);
  return coefficient < 1 ? coefficient : 1;
}

}  // namespace detail

SINTER_NAMESPACE_END
