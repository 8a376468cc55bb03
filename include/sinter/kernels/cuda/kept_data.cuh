// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "sinter/data/batch.hpp"
#include "sinter/device/cuda_array.cuh"
#include "sinter/kernels/cuda/batch.hpp"

SINTER_NAMESPACE_BEGIN

namespace cuda {

/// What a label or a row of targets is on the device.
template <class T, class Targets>
using TargetOnDevice = std::conditional_t<Labels<Targets>, std::int32_t, T>;

/// Rows of a batch, one behind the other: the inputs as they are, targets as the device takes them.
template <class View>
std::vector<std::remove_const_t<typename View::Value>> gather_inputs(const View& view, const RowChoice& choice,
                                                                     std::size_t count) {
  constexpr std::size_t size = View::Shape::size;
  std::vector<std::remove_const_t<typename View::Value>> all(count * size);
  for (std::size_t i = 0; i < count; ++i) copy_row(view, choice[i], all.data() + i * size);
  return all;
}
template <class T, class Targets>
auto gather_targets(const BatchTargets<Targets>& targets, std::size_t count) {
  if constexpr (Labels<Targets>) {
    std::vector<std::int32_t> all(count);
    for (std::size_t i = 0; i < count; ++i) all[i] = static_cast<std::int32_t>(targets.label(i));
    return all;
  } else {
    constexpr std::size_t size = Targets::Shape::size;
    std::vector<T> all(count * size);
    for (std::size_t i = 0; i < count; ++i) targets.copy_row(i, all.data() + i * size);
    return all;
  }
}

/// A dataset in the memory of a device, sent there once, bytes as bytes.
template <class Element, class Target>
struct KeptData {
  CudaArray<Element> inputs;
  CudaArray<Target> targets;
  Normalize normalize;
  std::size_t size;

  template <class T>
  Rows<Element, Target, T> rows() const {
    return {inputs.data(), targets.data(), static_cast<T>(normalize.scale), static_cast<T>(normalize.shift)};
  }
};

template <class T, Dataset D>
auto keep_data(const Cuda& device, const D& data) {
  using View = inputs_of<D>;
  using Targets = targets_of<D>;
  using Element = std::remove_const_t<typename View::Value>;
  using Target = TargetOnDevice<T, Targets>;
  const std::size_t size = data.size(), row = View::Shape::size;
  KeptData<Element, Target> kept{CudaArray<Element>(device, size * row), {}, normalize_of(data), size};
  if (data.inputs().contiguous()) {
    kept.inputs.upload(data.inputs().data, size * row);
  } else {
    const auto rows = gather_inputs(data.inputs(), {}, size);
    kept.inputs.upload(rows.data(), rows.size());
  }
  const auto targets = gather_targets<T>(BatchTargets<Targets>{data.targets(), {}}, size);
  kept.targets = CudaArray<Target>(device, targets.size());
  kept.targets.upload(targets.data(), targets.size());
  return kept;
}

}  // namespace cuda

SINTER_NAMESPACE_END
