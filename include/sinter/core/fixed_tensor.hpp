// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>

#include "sinter/core/shape.hpp"

SINTER_NAMESPACE_BEGIN

/// The numbers of one row, channels first, in the object itself: for registers and stacks, on the host and in kernels.
/// An aggregate: FixedTensor<float, Shape<3>>{1, 2, 3}. One number converts to its type.
template <class T, class Row>
struct FixedTensor {
  T values[static_cast<std::size_t>(Row::size)];

  static constexpr int size() { return Row::size; }
  SINTER_HOST_DEVICE constexpr T& operator[](int i) { return values[i]; }
  SINTER_HOST_DEVICE constexpr const T& operator[](int i) const { return values[i]; }
  SINTER_HOST_DEVICE constexpr T* data() { return values; }
  SINTER_HOST_DEVICE constexpr const T* data() const { return values; }
  SINTER_HOST_DEVICE constexpr T* begin() & { return values; }
  SINTER_HOST_DEVICE constexpr const T* begin() const& { return values; }
  template <class Value = T>
  T* begin() && {
    static_assert(std::is_void_v<Value>,
                  "sinter: a row that is iterated over has a name, or is that of a for loop: const auto y = f(x)");
    return values;
  }
  SINTER_HOST_DEVICE constexpr T* end() & { return values + Row::size; }
  SINTER_HOST_DEVICE constexpr const T* end() const& { return values + Row::size; }
  SINTER_HOST_DEVICE constexpr operator T() const
    requires(Row::size == 1)
  {
    return values[0];
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::FixedTensor;
}  // namespace sinter
