// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "sinter/core/aligned.hpp"
#include "sinter/core/finite.hpp"
#include "sinter/data/dataset.hpp"
#include "sinter/kernels/host_steps.hpp"

SINTER_NAMESPACE_BEGIN

/// The part of an engine's interface that is the same for all devices that work in host memory.
template <class T>
struct HostArrays {
  template <class Number>
  using Array = AlignedArray<Number>;
  static constexpr bool keeps_data = false;
  using StepLoss = T;

  template <class Device>
  static Array<T> zeros(const Device&, std::size_t size) {
    return Array<T>(size);
  }
  template <class Device>
  static Array<T> to_device(const Device&, AlignedArray<T> values) {
    return values;
  }
  static const AlignedArray<T>& to_host(const Array<T>& values) { return values; }

  /// Scales a gradient by `fraction`.
  static void scale(Array<T>& gradient, T fraction) {
    if (fraction == T(0))
      std::fill_n(gradient.data(), gradient.size(), T(0));
    else
      for (std::size_t i = 0; i < gradient.size(); ++i) gradient.data()[i] = gradient.data()[i] * fraction;
  }
  template <Dataset D>
  static HostData<D> keep(const D& data, bool /*to_learn*/ = false) {
    return {data, data.size()};
  }
  template <int States>
  static std::size_t most_steps(std::size_t /*batch*/) {
    return 4096;
  }
  static bool all_finite(const Array<T>& values) { return internal::all_finite(values.data(), values.size()); }
};

SINTER_NAMESPACE_END
