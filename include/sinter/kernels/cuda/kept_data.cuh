// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "sinter/data/batch.hpp"
#include "sinter/data/check.hpp"
#include "sinter/device/cuda_array.cuh"
#include "sinter/kernels/cuda/launch_phases.cuh"
#include "sinter/kernels/gpu/batch.hpp"
#include "sinter/kernels/gpu/check_numbers.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

template <class View>
inline constexpr bool on_device = false;
template <class T, class S>
inline constexpr bool on_device<TensorView<T, S, CudaMemory>> = true;
template <class Label>
inline constexpr bool on_device<LabelView<Label, CudaMemory>> = true;

/// The type of a label or a row of targets on the device: its own if it is already in device memory, otherwise that of
/// the copy.
template <class T, class Targets>
struct TargetTypeOnDevice {
  using Type = std::conditional_t<Labels<Targets>, std::int32_t, T>;
};
template <class T, class Label>
struct TargetTypeOnDevice<T, LabelView<Label, CudaMemory>> {
  using Type = Label;
};
template <class T, class Targets>
using TargetOnDevice = typename TargetTypeOnDevice<T, Targets>::Type;

/// The numbers of a row's target.
template <class Targets>
inline constexpr std::size_t target_width = [] {
  if constexpr (Labels<Targets>)
    return std::size_t{1};
  else
    return std::size_t{Targets::Shape::size};
}();

/// Contiguous rows of a batch: the inputs as they are, targets in the device's type.
template <class View>
std::vector<std::remove_const_t<typename View::Value>> gather_inputs(const View& view, const RowChoice& choice,
                                                                     std::size_t count) {
  constexpr std::size_t size = View::Shape::size;
  std::vector<std::remove_const_t<typename View::Value>> all(count * size);
  for (std::size_t i = 0; i < count; ++i) copy_row(view, choice[i], all.data() + i * size);
  return all;
}
template <class T, class Targets>
void copy_targets(const BatchTargets<Targets>& targets, std::size_t count, TargetOnDevice<T, Targets>* to) {
  if constexpr (Labels<Targets>) {
    for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<std::int32_t>(targets.label(i));
  } else {
    constexpr std::size_t size = Targets::Shape::size;
    for (std::size_t i = 0; i < count; ++i) targets.copy_row(i, to + i * size);
  }
}

template <class T, class Targets>
std::vector<T> gather_weights(const Targets& targets, std::size_t count) {
  std::vector<T> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = row_weight<T>(targets, i);
  return all;
}

/// Rows that are on the device already must be contiguous.
template <class View>
void require_contiguous(const View& view) {
  if (!view.contiguous())
    fail("rows in the memory of a CUDA device were given with strides, expected row-major ones; copy them first");
}

/// The address of targets on the device.
template <class T, class Targets>
const TargetOnDevice<T, Targets>* targets_on_device(const BatchTargets<Targets>& targets) {
  if constexpr (Labels<Targets>) {
    return targets.labels.data;
  } else {
    static_assert(std::is_same_v<std::remove_const_t<typename Targets::Value>, T>,
                  "sinter: rows of targets in the memory of a GPU must be of the network's own precision");
    require_contiguous(targets.view);
    return targets.view.data;
  }
}

/// Numbers in device memory: a copy, or the user's own.
template <class T>
struct DeviceNumbers {
  using Value = T;
  CudaArray<T> sent;
  const T* given = nullptr;

  const T* data() const { return given != nullptr ? given : sent.data(); }
};

/// A dataset in device memory, copied once without conversion; data that is already in device memory is not copied.
template <class Element, class Target>
struct KeptData {
  DeviceNumbers<Element> inputs;
  DeviceNumbers<Target> targets;
  Normalize normalize;
  std::size_t size;

  template <class T>
  Rows<Element, Target, T> rows() const {
    return {inputs.data(), targets.data(), static_cast<T>(normalize.scale), static_cast<T>(normalize.shift)};
  }
};

/// Fails if numbers on the device are not finite, or a label is not one of `classes`: a kernel checks all of them, and
/// only if it finds one does the host search for the first.
template <class Number>
void check_on_device(const Cuda& device, const Number* numbers, std::size_t count, std::size_t width, int classes,
                     const char* what) {
  const int blocks = grid_blocks(count);
  CudaArray<std::uint32_t> wrong(device, static_cast<std::size_t>(blocks));
  launch<CheckNumbers<Number>>(device, {numbers, count, classes, wrong.data()}, blocks);
  std::vector<std::uint32_t> found(wrong.size());
  wrong.download(found.data(), found.size());
  if (std::all_of(found.begin(), found.end(), [](std::uint32_t w) { return w == 0; })) return;
  std::vector<Number> all(count);
  cuda_check(cudaMemcpyAsync(all.data(), numbers, count * sizeof(Number), cudaMemcpyDeviceToHost, device.stream),
             "copying from a CUDA device");
  cuda_check(cudaStreamSynchronize(device.stream), "waiting for a copy from a CUDA device");
  if constexpr (std::is_integral_v<Number>)
    check_labels(std::span<const Number>(all), classes, what);
  else
    for (std::size_t i = 0; i < count; ++i)
      if (!is_finite(all[i]))
        internal::detail::fail_number(i / width, "number " + std::to_string(i % width), what,
                                      static_cast<double>(all[i]));
}

/// Labels on the device are always checked, and numbers if they are to be learned from.
template <class T, Dataset D>
auto keep_data(const Cuda& device, const D& data, int classes, bool to_learn) {
  using View = inputs_of<D>;
  using Targets = targets_of<D>;
  using Element = std::remove_const_t<typename View::Value>;
  using Target = TargetOnDevice<T, Targets>;
  const std::size_t size = data.size(), row = View::Shape::size;
  const auto& inputs = data.inputs();
  KeptData<Element, Target> kept{{}, {}, normalize_of(data), size};
  if constexpr (on_device<View>) {
    require_contiguous(inputs);
    kept.inputs.given = inputs.data;
    if constexpr (std::is_floating_point_v<Element>)
      if (to_learn) check_on_device(device, inputs.data, size * row, row, 0, "the inputs");
  } else {
    kept.inputs.sent = CudaArray<Element>(device, size * row);
    if (inputs.contiguous()) {
      kept.inputs.sent.upload(inputs.data, size * row);
    } else {
      const auto rows = gather_inputs(inputs, {}, size);
      kept.inputs.sent.upload(rows.data(), rows.size());
      cuda_check(cudaStreamSynchronize(device.stream), "sending a dataset to a CUDA device");
    }
  }
  BatchTargets<Targets> targets{data.targets(), {}};
  if constexpr (!Labels<Targets>) targets.normalize = kept.normalize;
  constexpr std::size_t width = target_width<Targets>;
  if constexpr (on_device<Targets>) {
    kept.targets.given = targets_on_device<T>(targets);
    if (Labels<Targets> || to_learn)
      check_on_device(device, kept.targets.given, size * width, width, classes,
                      Labels<Targets> ? "the labels" : "the targets");
  } else {
    std::vector<Target> wanted(size * width);
    copy_targets<T>(targets, size, wanted.data());
    kept.targets.sent = CudaArray<Target>(device, wanted.size());
    kept.targets.sent.upload(wanted.data(), wanted.size());
    // The gathered copy is destroyed at the end: wait until it has been transferred.
    cuda_check(cudaStreamSynchronize(device.stream), "sending a dataset to a CUDA device");
  }
  return kept;
}

/// A dataset whose inputs are those that were kept: training on it copies only the targets.
template <Dataset D, class Kept>
auto inputs_on_device(const D& data, const Kept& kept) {
  using View = inputs_of<D>;
  using OnDevice = TensorView<const std::remove_const_t<typename View::Value>, typename View::Shape, CudaMemory>;
  const OnDevice inputs{kept.inputs.data(), kept.size};
  if constexpr (HasWeights<D>)
    return DataView(inputs, data.targets(), kept.normalize, data.weights());
  else
    return DataView(inputs, data.targets(), kept.normalize);
}

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
