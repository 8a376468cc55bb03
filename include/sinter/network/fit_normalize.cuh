// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/core/finite.hpp"
#include "sinter/core/tensor.hpp"
#include "sinter/data/normalize.hpp"
#include "sinter/device/cuda_array.cuh"
#include "sinter/kernels/cuda/kept_data.cuh"
#include "sinter/kernels/gpu/sum_numbers.hpp"

SINTER_NAMESPACE_BEGIN

/// The scale that gives all numbers of these rows together the mean 0 and the deviation 1, in place in the memory of a
/// GPU: `dataset(rows, labels, fit_normalize(rows))`. Two passes on the GPU, in double. Work on the rows must be on
/// `cuda`'s stream, or finished.
template <class T, class Row>
Normalize fit_normalize(const TensorView<T, Row, CudaMemory>& rows, const Cuda& cuda = {}) {
  using K = gpu_kernels::SumNumbers<std::remove_const_t<T>>;
  gpu_kernels::require_contiguous(rows);
  const CurrentCudaDevice current(cuda.device);
  const std::size_t count = rows.rows * Row::size;
  const int blocks = gpu_kernels::grid_blocks(count);
  CudaArray<double> parts(cuda, static_cast<std::size_t>(blocks));
  const auto sum = [&](bool squares, double from) {
    gpu_kernels::launch<K>(cuda, {rows.data, count, squares, from, parts.data(), blocks}, blocks, K::memory);
    std::vector<double> each(parts.size());
    parts.download(each.data(), each.size());
    double all = 0;
    for (const double part : each) all += part;
    return all / static_cast<double>(count);
  };
  if (count == 0) fail("fit_normalize was given no rows; give it those that the network learns from");
  const double mean = sum(false, 0), deviation = std::sqrt(sum(true, mean));
  if (!is_finite(deviation) || deviation == 0)
    fail("fit_normalize was given numbers with the mean " + std::to_string(mean) + " and the deviation " +
         std::to_string(deviation) + ", expected finite numbers that differ; look at the rows");
  return {static_cast<float>(1 / deviation), static_cast<float>(-mean / deviation)};
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::fit_normalize;
}  // namespace sinter
