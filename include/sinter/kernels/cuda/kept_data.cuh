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

namespace gpu_kernels {

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
    static_assert(std::is_same_v<typename Targets::Space, HostMemory>,
                  "sinter: rows of targets must be in the memory of the host; inputs may be on the device");
    constexpr std::size_t size = Targets::Shape::size;
    std::vector<T> all(count * size);
    for (std::size_t i = 0; i < count; ++i) targets.copy_row(i, all.data() + i * size);
    return all;
  }
}

template <class T, class Targets>
std::vector<T> gather_weights(const Targets& targets, std::size_t count) {
  std::vector<T> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = row_weight<T>(targets, i);
  return all;
}

template <class View>
inline constexpr bool on_device = std::is_same_v<typename View::Space, CudaMemory>;

/// Rows that lie on the device already must lie one behind the other there.
template <class View>
void require_contiguous(const View& view) {
  if (!view.contiguous())
    fail("rows in the memory of a CUDA device were given with strides, expected row-major ones; copy them first");
}

/// A dataset in the memory of a device, sent there once, bytes as bytes; what lies there already is not copied.
template <class Element, class Target>
struct KeptData {
  CudaArray<Element> sent;  // empty where
  const Element* there;     // the inputs lay on the device
  CudaArray<Target> targets;
  Normalize normalize;
  std::size_t size;

  const Element* inputs() const { return there != nullptr ? there : sent.data(); }
  template <class T>
  Rows<Element, Target, T> rows() const {
    return {inputs(), targets.data(), static_cast<T>(normalize.scale), static_cast<T>(normalize.shift)};
  }
};

template <class T, Dataset D>
auto keep_data(const Cuda& device, const D& data) {
  using View = inputs_of<D>;
  using Targets = targets_of<D>;
  using Element = std::remove_const_t<typename View::Value>;
  using Target = TargetOnDevice<T, Targets>;
  const std::size_t size = data.size(), row = View::Shape::size;
  const auto& inputs = data.inputs();
  KeptData<Element, Target> kept{{}, nullptr, {}, normalize_of(data), size};
  if constexpr (on_device<View>) {
    require_contiguous(inputs);
    kept.there = inputs.data;
  } else {
    kept.sent = CudaArray<Element>(device, size * row);
    if (inputs.contiguous()) {
      kept.sent.upload(inputs.data, size * row);
    } else {
      const auto rows = gather_inputs(inputs, {}, size);
      kept.sent.upload(rows.data(), rows.size());
      cuda_check(cudaStreamSynchronize(device.stream), "sending a dataset to a CUDA device");
    }
  }
  const auto targets = gather_targets<T>(BatchTargets<Targets>{data.targets(), {}}, size);
  kept.targets = CudaArray<Target>(device, targets.size());
  kept.targets.upload(targets.data(), targets.size());
  // What was gathered goes away: not before it is there.
  cuda_check(cudaStreamSynchronize(device.stream), "sending a dataset to a CUDA device");
  return kept;
}

/// A dataset whose inputs are those that were kept of it: who trains on it sends nothing more than its targets.
template <Dataset D, class Kept>
auto inputs_there(const D& data, const Kept& kept) {
  using View = inputs_of<D>;
  using There = TensorView<const std::remove_const_t<typename View::Value>, typename View::Shape, CudaMemory>;
  const There there{kept.inputs(), kept.size};
  if constexpr (HasWeights<D>)
    return DataView(there, data.targets(), kept.normalize, data.weights());
  else
    return DataView(there, data.targets(), kept.normalize);
}

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
