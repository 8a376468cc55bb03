// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/thrust/labels.cuh"

#include <thrust/iterator/counting_iterator.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "sinter/core/predicted_class.hpp"
#include "sinter/kernels/cuda/kept_data.cuh"
#include "sinter/train/metrics.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Of a row: the place of its label and its answer in a matrix [classes][classes + 1], where the last column is for
/// rows without an answer.
template <class T, class Label>
struct CellOfRow {
  const T* outputs;  // [rows][classes]
  const Label* labels;
  int classes;

  SINTER_FN int operator()(int row) const {
    const int answer = predicted_class(outputs + static_cast<std::ptrdiff_t>(row) * classes, classes);
    return static_cast<int>(labels[row]) * (classes + 1) + (answer < 0 ? classes : answer);
  }
};

}  // namespace detail

/// Compares the largest of each row of outputs, as `forward` of a network on Cuda leaves them in the memory of the GPU,
/// with its label, there, too: only the counts are copied. The same matrix as confusion_matrix(net, data) makes on the
/// host. Fails as check_device_labels, and where there is not one label for each row.
template <class T, class Row, DeviceLabels Given>
ConfusionMatrix confusion_matrix(const TensorView<T, Row, CudaMemory>& outputs, const Given& given,
                                 const Cuda& cuda = {}) {
  constexpr int classes = Row::size;
  const auto labels = detail::view_of(given);
  if (outputs.rows != labels.size())
    fail("confusion_matrix was given " + std::to_string(outputs.rows) + " rows of outputs and " +
         std::to_string(labels.size()) + " labels; give one for each row");
  gpu_kernels::require_contiguous(outputs);
  check_device_labels(given, classes, cuda);
  const CurrentCudaDevice current(cuda.device);
  using Cell = detail::CellOfRow<std::remove_const_t<T>, std::remove_cvref_t<decltype(*labels.data)>>;
  const auto counts = detail::histogram(
      thrust::make_transform_iterator(thrust::counting_iterator<int>(0), Cell{outputs.data, labels.data, classes}),
      labels.size(), classes * (classes + 1), cuda);
  ConfusionMatrix matrix(classes);
  for (int label = 0, cell = 0; label < classes; ++label)
    for (int answer = 0; answer <= classes; ++answer, ++cell)
      for (std::uint32_t i = 0; i < counts[static_cast<std::size_t>(cell)]; ++i)
        matrix.add(label, answer < classes ? answer : -1);
  return matrix;
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::confusion_matrix;
}  // namespace sinter
