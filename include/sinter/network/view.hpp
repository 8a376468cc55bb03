// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sinter/core/isa.hpp"
#include "sinter/core/tensor.hpp"
#include "sinter/kernels/host/inference.hpp"
#include "sinter/network/budget.hpp"
#include "sinter/network/packed.hpp"
#include "sinter/network/unpacked.hpp"

SINTER_NAMESPACE_BEGIN

/// The working memory of View::forward, for batches of up to Rows rows and one thread at a time. The object contains all of
/// it, workspace_bytes<Model, Rows>: make it static, a member, or local if the stack is large enough.
template <class Model, std::size_t Rows, class Isa = isa::Native>
class FixedWorkspace {
 public:
  using Inference = HostInference<Model, float, Isa>;
  static constexpr typename Inference::Memory parts{Rows};
  static constexpr std::size_t max_batch() { return Rows; }
  float* memory() { return memory_.data(); }
  float* outputs() { return memory_.data() + parts.size; }

 private:
  alignas(64) std::array<float, workspace_bytes<Model, Rows, Float32, Isa> / sizeof(float)> memory_{};
};

/// A trained network that reads weights in place: a constant of the program, or a file mapped into memory. It copies nothing,
/// so the weights must outlive it. It uses no heap, threads, streams or files. Threads may share it.
///
///     static FixedWorkspace<LeNet, 1> workspace;
///     const View<LeNet> net(lenet_weights);              // from a header that export_header() wrote
///     const auto y = net.forward(x, workspace);
template <class ModelType, class Isa = isa::Native>
class View {
 public:
  using Model = ModelType;
  using InputRow = typename Model::InputRow;
  using OutputRow = typename Model::OutputRow;
  static constexpr int input_size = InputRow::size, output_size = OutputRow::size;

  template <std::uint64_t Of, std::size_t Numbers>
  constexpr explicit View(const Stored<float, Of, Numbers, 0>& weights) : parameters_(weights.numbers.data()) {
    static_assert(Of == fingerprint<Model>,
                  "sinter: these weights belong to another model: export them from a network of this one");
  }
  constexpr explicit View(const Unpacked<Model>& weights) : parameters_(weights.data()) {}
  /// Bytes written by packed_bytes() or save_packed() as float32, at an address that is a multiple of 4 (better 64). Fails if
  /// they are damaged, of another model, or stored as float16 or int8, which need an Unpacked.
  explicit View(std::span<const std::byte> packed) {
    const detail::PackedParts parts = detail::parts_of_packed<Model>(packed);
    if (parts.storage != Storage::float32)
      fail(std::string("the packed weights are stored as ") + detail::name_of(parts.storage) +
           ", which kernels do not read; make an Unpacked<Model> of them, and a View of that");
    parameters_ = reinterpret_cast<const float*>(parts.numbers);
  }
  // Of something that is gone behind this line.
  template <class Number, std::uint64_t Of, std::size_t Numbers, std::size_t Floats>
  explicit View(const Stored<Number, Of, Numbers, Floats>&&) = delete;
  explicit View(const Unpacked<Model>&&) = delete;
  explicit View(const std::vector<std::byte>&&) = delete;

  constexpr const float* data() const { return parameters_; }

  /// The outputs, [x.rows][output], as a view into the workspace that is valid until its next use: the same bits as from
  /// Network::forward. Runs on the calling thread, without allocation, locks or exceptions. More than Rows rows end the
  /// program with a message. Inputs are used as they are, or scaled by `normalize`; bytes need it, as in training.
  template <class T, std::size_t Rows>
  TensorView<const float, OutputRow> forward(TensorView<T, InputRow> x, FixedWorkspace<Model, Rows, Isa>& workspace,
                                             Normalize normalize) const noexcept {
    if (x.rows > Rows) refuse(x.rows, Rows);
    FixedWorkspace<Model, Rows, Isa>::Inference::forward(
        parameters_, BatchInputs<TensorView<const T, InputRow>>{x, {}, normalize}, x.rows, workspace.parts,
        workspace.memory(), workspace.outputs());
    return {workspace.outputs(), x.rows};
  }
  template <class T, std::size_t Rows>
  TensorView<const float, OutputRow> forward(TensorView<T, InputRow> x,
                                             FixedWorkspace<Model, Rows, Isa>& workspace) const noexcept {
    static_assert(sizeof(T) > 1,
                  "sinter: bytes need a scale: forward(x, workspace, Normalize::pixels(mean, deviation))");
    return forward(x, workspace, Normalize{});
  }
  /// One row, of input_size numbers.
  template <class T, std::size_t Rows>
  std::span<const float, static_cast<std::size_t>(output_size)> forward(
      std::span<const T, static_cast<std::size_t>(input_size)> x,
      FixedWorkspace<Model, Rows, Isa>& workspace) const noexcept {
    const auto y = forward(TensorView<const T, InputRow>{x.data(), 1}, workspace);
    return std::span<const float, static_cast<std::size_t>(output_size)>(y.data, static_cast<std::size_t>(output_size));
  }

 private:
  [[noreturn]] SINTER_COLD static void refuse(std::size_t given, std::size_t most) {
    end_program("forward was given " + std::to_string(given) + " rows and a workspace for " + std::to_string(most) +
                "; make a larger one");
  }

  const float* parameters_ = nullptr;
};

SINTER_NAMESPACE_END
