// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "sinter/kernels/cuda/buffer.cuh"
#include "sinter/kernels/cuda/launch_phases.cuh"
#include "sinter/kernels/cuda/states_on_device.cuh"
#include "sinter/kernels/gpu/choose.hpp"
#include "sinter/kernels/gpu/evaluate.hpp"
#include "sinter/kernels/gpu/infer.hpp"
#include "sinter/kernels/steps.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// Launches the kernels that compute and evaluate outputs.
template <class Model, class T, CudaProducts Products = CudaProducts::float32>
class InferenceLauncher {
  static constexpr int outputs = Program<Model>::output.size();
  using Memory = TeamMemory<Model, T, false, Expected::tile>;
  using FarMemory = TeamMemory<Model, T, false, Expected::grid>;

 public:
  explicit InferenceLauncher(const Loaded& loaded) : loaded_(loaded) {}

  /// The memory that a batch needs, so that `run` need not allocate it.
  void reserve(std::size_t batch) {
    if (!always_fits && Memory::rows_in(loaded_.shared) < 1)
      memory_.template reserve<std::byte>(
          FarMemory::bytes(FarMemory::rows_far(static_cast<int>(batch), most_far_bytes)));
  }

  /// Whether blocks can write outputs to the host themselves.
  bool writes_to_host() const { return Memory::rows_in(loaded_.shared) >= 1; }

  /// y [count][output] of rows [first, first + count). Returns the number of blocks that write to the host; 0 if not
  /// writes_to_host().
  template <class Data>
  std::size_t run(const T* parameters, const Data& data, std::size_t first, std::size_t count, T* y,
                  const Completion& completion = {}) {
    InferenceArgs<T, Data> args{};
    args.step.data = data;
    args.step.first = static_cast<std::uint32_t>(first);
    args.batch = static_cast<int>(count);
    args.parameters = parameters;
    args.outputs = y;
    args.completion = completion;
    return launch_all(args);
  }
  /// The same where each `chunks` rows are a sequence, whose states are carried from row to row.
  template <class Data>
  void run_chunks(const T* parameters, const Data& data, std::size_t first, std::size_t count, std::size_t chunks,
                  T* y) {
    const std::size_t sequences = count / chunks;
    std::vector<std::uint32_t> rows(count);
    for (std::size_t i = 0; i < count; ++i)
      rows[i] = static_cast<std::uint32_t>(first + i % sequences * chunks + i / sequences);
    const Epoch epoch{order_.upload(rows.data(), count)};
    InferenceArgs<T, Data> args{};
    args.step.data = data;
    args.step.epoch = epoch_.upload(&epoch, 1);
    args.batch = static_cast<int>(sequences);
    args.parameters = parameters;
    args.outputs = y;
    args.as_stored = true;
    args.first_row = static_cast<std::uint32_t>(first);
    states_.carry(true);
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
      args.step.first = static_cast<std::uint32_t>(chunk * sequences);
      args.carried = states_.begin_batch(sequences);
      launch_all(args);
    }
  }

  /// Evaluates a kept dataset.
  template <class Kept, class Loss>
  EvaluationSums evaluate(const T* parameters, const Kept& kept, const Loss& loss, std::size_t chunks) {
    using Target = typename std::remove_cvref_t<decltype(kept.targets)>::Value;
    constexpr bool classes = std::is_same_v<typename Loss::Target, ClassTarget>;
    constexpr int targets = classes ? 1 : target_size<Loss>(outputs);
    EvaluationSums all;
    EvaluationSums* on_device = totals_.upload(&all, 1);
    const std::size_t most = rows_of_call(kept.size, chunks);
    T* y = outputs_.template reserve<T>(most * outputs);
    T* losses = losses_.template reserve<T>(most);
    std::uint32_t* right = right_.template reserve<std::uint32_t>(most);
    for (std::size_t first = 0; first < kept.size; first += most) {
      const std::size_t count = std::min(most, kept.size - first);
      run_kept(parameters, kept, first, count, chunks, y);
      const int rows = static_cast<int>(count);
      launch<EvaluateRows<T, Target, Loss>>(
          loaded_.device, {y, kept.targets.data() + first * targets, rows, outputs, loss, losses, right},
          grid_blocks(count));
      loaded_.template launch_next<SumRows<T>>(
          loaded_.device, {losses, tells_right<Loss, T> ? right : nullptr, rows, &on_device->loss, &on_device->right},
          1, SumRows<T>::memory);
    }
    totals_.download(&all, 1);
    return all;
  }
  template <class Kept>
  void run_kept(const T* parameters, const Kept& kept, std::size_t first, std::size_t count, std::size_t chunks, T* y) {
    const auto data = kept.template rows<T>();
    if constexpr (CarriedNumbers<Program<Model>>::size > 0)
      if (chunks > 1) return run_chunks(parameters, data, first, count, chunks, y);
    run(parameters, data, first, count, y);
  }

 private:
  // Bytes that a tile may take in device memory. Outputs do not depend on it.
  static constexpr std::size_t most_far_bytes = std::size_t{32} << 20;
  static constexpr bool always_fits = Memory::rows_in(least_shared_memory) >= 1;

  template <class Data>
  std::size_t launch_all(InferenceArgs<T, Data> args) {
    const int fit = Memory::rows_in(loaded_.shared);
    if (always_fits && fit < 1) loaded_.fail_to_fit(CudaPlan::pair);
    if (always_fits || fit >= 1) {
      using K = InferTiles<Model, T, Data>;
      args.rows = std::min(fit, divide_up(args.batch, 4 * CostModel::blocks));
      const int blocks = divide_up(args.batch, args.rows);
      loaded_.launch<K>(loaded_.device, args, blocks, Memory::bytes(args.rows));
      return static_cast<std::size_t>(blocks);
    } else if constexpr (!always_fits) {
      args.rows = FarMemory::rows_far(args.batch, most_far_bytes);
      args.memory = memory_.template reserve<std::byte>(FarMemory::bytes(args.rows));
      for (args.tile = 0; args.tile < divide_up(args.batch, args.rows); ++args.tile)
        launch_phases<Model, InferPhase<Model, T, Data, 0, Products>::count>(
            loaded_, loaded_.device, args, args.rows,
            [](auto i) { return std::type_identity<InferPhase<Model, T, Data, decltype(i)::value, Products>>{}; });
    }
    return 0;
  }

  Loaded loaded_;
  Buffer memory_{loaded_.device}, outputs_{loaded_.device}, losses_{loaded_.device}, right_{loaded_.device},
      totals_{loaded_.device}, order_{loaded_.device}, epoch_{loaded_.device};
  StatesOnDevice<Model, T> states_{loaded_.device};
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
