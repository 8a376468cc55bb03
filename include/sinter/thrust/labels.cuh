// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/thrust/histogram.cuh"

#include <thrust/find.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/data/check.hpp"
#include "sinter/data/dataset.hpp"
#include "sinter/thrust/read_from_device.cuh"

SINTER_NAMESPACE_BEGIN

/// Labels in the memory of a GPU: a thrust::device_vector or a CudaArray of integers, or the targets of a dataset.
template <class Given>
concept DeviceLabels = requires(const Given& labels) { detail::view_of(labels).data; } &&
                       Labels<decltype(detail::view_of(std::declval<const Given&>()))>;

namespace detail {

template <class Label>
struct IsClass {
  int classes;
  SINTER_FN bool operator()(Label label) const {
    return static_cast<long long>(label) >= 0 && static_cast<long long>(label) < classes;
  }
};
template <class Label>
struct LabelNumber {
  SINTER_FN int operator()(Label label) const { return static_cast<int>(label); }
};

}  // namespace detail

/// Fails, naming the row, at the first of these labels that is not one of `classes`, 0 to classes - 1. Looks at them on
/// the GPU, and copies only that one. fit() checks its labels itself: this is for loops of your own. Work on the labels
/// must be on `cuda`'s stream, or finished.
template <DeviceLabels Given>
void check_device_labels(const Given& given, int classes, const Cuda& cuda = {}) {
  const auto labels = detail::view_of(given);
  using Label = std::remove_cvref_t<decltype(*labels.data)>;
  const CurrentCudaDevice current(cuda.device);
  const Label* const end = labels.data + labels.size();
  const auto* const found =
      thrust::find_if_not(detail::thrust_policy(cuda), labels.data, end, detail::IsClass<Label>{classes});
  if (found != end)
    detail::fail_label(static_cast<std::size_t>(found - labels.data), "the labels",
                       std::to_string(detail::read_from_device(found, cuda)), classes);
}

/// How many rows of each class there are: labels[i] is the class of row i. Fails as check_device_labels.
template <DeviceLabels Given>
std::vector<std::uint32_t> class_counts(const Given& given, int classes, const Cuda& cuda = {}) {
  if (classes < 1)
    fail("class_counts was asked for " + std::to_string(classes) + " classes; ask for 1 or more, numbered from 0");
  check_device_labels(given, classes, cuda);
  const auto labels = detail::view_of(given);
  const CurrentCudaDevice current(cuda.device);
  return detail::histogram(
      thrust::make_transform_iterator(labels.data, detail::LabelNumber<std::remove_cvref_t<decltype(*labels.data)>>{}),
      labels.size(), classes, cuda);
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::check_device_labels;
using internal::class_counts;
}  // namespace sinter
