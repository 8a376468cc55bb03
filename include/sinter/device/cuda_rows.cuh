// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>

#include "sinter/core/error.hpp"
#include "sinter/core/tensor.hpp"
#include "sinter/device/cuda_array.cuh"

SINTER_NAMESPACE_BEGIN

/// Rows of a shape in GPU memory, in place: `device_rows<Shape<1, 28, 28>>(pictures)` of a thrust::device_vector, or of
/// a CudaArray. Nothing is copied: it must outlive the result. For inputs and for targets; labels need no shape, and
/// such a vector is given as it is.
template <class Row, class Vector>
auto device_rows(const Vector& numbers) {
  const auto* data = [&] {
    if constexpr (requires { numbers.data().get(); })
      return numbers.data().get();
    else
      return numbers.data();
  }();
  constexpr std::size_t width = Row::size;
  if (numbers.size() % width != 0)
    fail("device_rows was given " + std::to_string(numbers.size()) + " numbers for rows of " + std::to_string(width) +
         "; give it whole rows");
  return TensorView<std::remove_pointer_t<decltype(data)>, Row, CudaMemory>{data, numbers.size() / width};
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::device_rows;
}  // namespace sinter
