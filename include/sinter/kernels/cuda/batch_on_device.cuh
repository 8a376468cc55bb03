// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include "sinter/data/batch.hpp"
#include "sinter/kernels/cuda/buffer.cuh"
#include "sinter/kernels/cuda/kept_data.cuh"
#include "sinter/model/program.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// A batch of a model's rows, and of their targets, in device memory.
template <class Model, class T>
class BatchOnDevice {
  static constexpr std::size_t inputs = static_cast<std::size_t>(Program<Model>::input.size());

 public:
  explicit BatchOnDevice(const Cuda& device) : sent_(device) {}

  /// The addresses of the rows and of their targets: in device memory already, or copied by one call.
  template <class View, class Targets>
  auto rows(const BatchInputs<View>& from, std::size_t rows, const BatchTargets<Targets>& targets) {
    using Element = std::remove_const_t<typename View::Value>;
    using Target = TargetOnDevice<T, Targets>;
    Rows<Element, Target, T> data{nullptr, nullptr, static_cast<T>(from.normalize.scale),
                                  static_cast<T>(from.normalize.shift)};
    constexpr std::size_t width = target_width<Targets>;
    const std::size_t input_bytes = on_device<View> ? 0 : (rows * inputs * sizeof(Element) + 15) / 16 * 16,
                      target_bytes = on_device<Targets> ? 0 : rows * width * sizeof(Target);
    bytes_.resize(input_bytes + target_bytes);
    if constexpr (on_device<View>) {
      require_contiguous(from.view);
      if (from.choice.rows != nullptr)
        fail(
            "single rows of inputs in the memory of a CUDA device were asked for, which needs them on the host: give "
            "fit "
            "data of the host where rows or classes have weights");
      data.inputs = from.view.data;
    } else {
      auto* to = reinterpret_cast<Element*>(bytes_.data());
      for (std::size_t i = 0; i < rows; ++i) copy_row(from.view, from.choice[i], to + i * inputs);
    }
    if constexpr (on_device<Targets>)
      data.targets = targets_on_device<T>(targets);
    else
      copy_targets<T>(targets, rows, reinterpret_cast<Target*>(bytes_.data() + input_bytes));
    if (bytes_.empty()) return data;
    const std::byte* sent = sent_.upload(bytes_.data(), bytes_.size());
    if constexpr (!on_device<View>) data.inputs = reinterpret_cast<const Element*>(sent);
    if constexpr (!on_device<Targets>) data.targets = reinterpret_cast<const Target*>(sent + input_bytes);
    return data;
  }

 private:
  Buffer sent_;
  std::vector<std::byte> bytes_;
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
