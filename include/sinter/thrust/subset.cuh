// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/thrust/labels.cuh"

#include <thrust/tabulate.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "sinter/data/dataset.hpp"
#include "sinter/data/selected_rows.hpp"
#include "sinter/kernels/cuda/kept_data.cuh"
#include "sinter/thrust/read_from_device.cuh"

SINTER_NAMESPACE_BEGIN

/// A dataset whose inputs and targets are in the memory of a GPU.
template <class D>
concept DeviceDataset = Dataset<D> && gpu_kernels::on_device<inputs_of<D>> && gpu_kernels::on_device<targets_of<D>>;

namespace detail {

struct IsBeyond {
  std::size_t rows;
  SINTER_FN bool operator()(std::uint32_t row) const { return row >= rows; }
};
/// Number i of chosen rows of so many numbers.
template <class T>
struct NumberOfRow {
  const T* from;
  const std::uint32_t* rows;
  std::size_t width;
  SINTER_FN T operator()(std::size_t i) const { return from[rows[i / width] * width + i % width]; }
};
template <class T>
CudaArray<T> copied_rows(const T* from, const CudaArray<std::uint32_t>& rows, std::size_t width, const Cuda& cuda) {
  CudaArray<T> to(cuda, rows.size() * width);
  thrust::tabulate(thrust_policy(cuda), to.data(), to.data() + to.size(), NumberOfRow<T>{from, rows.data(), width});
  return to;
}

}  // namespace detail

/// A dataset in the memory of a GPU that owns a copy of chosen rows of another.
template <DeviceDataset D>
class SelectedDeviceRows {
  using Inputs = inputs_of<D>;
  using Targets = targets_of<D>;
  using Number = std::remove_const_t<typename Inputs::Value>;
  using Target = std::remove_cvref_t<decltype(*std::declval<const Targets&>().data)>;
  static constexpr std::size_t target_width = gpu_kernels::target_width<Targets>;

 public:
  /// Fails at a row that the dataset does not have.
  SelectedDeviceRows(const D& data, const CudaArray<std::uint32_t>& rows, const Cuda& cuda)
      : normalize_(normalize_of(data)) {
    gpu_kernels::require_contiguous(data.inputs());
    if constexpr (!has_labels<D>) gpu_kernels::require_contiguous(data.targets());
    const CurrentCudaDevice current(cuda.device);
    const std::uint32_t* const end = rows.data() + rows.size();
    const auto* const wrong =
        thrust::find_if(detail::thrust_policy(cuda), rows.data(), end, detail::IsBeyond{data.size()});
    if (wrong != end)
      fail("row " + std::to_string(detail::read_from_device(wrong, cuda)) + " of a dataset of " +
           std::to_string(data.size()) + " rows was asked for; rows are numbered from 0");
    inputs_ = detail::copied_rows<Number>(data.inputs().data, rows, Inputs::Shape::size, cuda);
    targets_ = detail::copied_rows<Target>(data.targets().data, rows, target_width, cuda);
  }

  std::size_t size() const { return targets_.size() / target_width; }
  Inputs inputs() const { return {inputs_.data(), size()}; }
  Targets targets() const { return {targets_.data(), size()}; }
  Normalize normalize() const { return normalize_; }

 private:
  CudaArray<Number> inputs_;
  CudaArray<Target> targets_;
  Normalize normalize_;
};

/// The rows of a dataset in the memory of a GPU with these numbers, in this order, as a copy in the same memory:
///     const auto train = subset(digits, stratified_rows(labels, 10, 5, seed));
template <DeviceDataset D>
SelectedDeviceRows<D> subset(const D& data, const CudaArray<std::uint32_t>& rows, const Cuda& cuda = {}) {
  static_assert(!HasWeights<D>, "sinter: subset() of rows in the memory of a GPU does not copy weights of rows");
  return {data, rows, cuda};
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::SelectedDeviceRows;
using internal::subset;
}  // namespace sinter
