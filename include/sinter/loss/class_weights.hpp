// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <string>

#include "sinter/core/error.hpp"
#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// A number for each of N classes, 1 unless given: {1, 2, 0.5}, or a span whose length is checked.
template <int N>
class ClassWeights {
 public:
  SINTER_HOST_DEVICE constexpr ClassWeights() {
    for (double& weight : weights_) weight = 1;
  }
  template <std::convertible_to<double>... Weights>
    requires(sizeof...(Weights) == N)
  constexpr ClassWeights(Weights... weights) : weights_{static_cast<double>(weights)...} {}
  template <class T>
  ClassWeights(std::span<const T> weights) {
    if (weights.size() != N)
      fail(std::to_string(weights.size()) + " weights of classes were given, expected " + std::to_string(N) +
           ", one for each; make the two equal");
    for (std::size_t i = 0; i < N; ++i) weights_[i] = static_cast<double>(weights[i]);
  }

  SINTER_HOST_DEVICE constexpr double operator[](int i) const { return weights_[i]; }

 private:
  double weights_[N];
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::ClassWeights;
}  // namespace sinter
