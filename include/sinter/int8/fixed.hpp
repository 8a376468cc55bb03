// SPDX-License-Identifier: MIT
#pragma once

/// A quantized network in a program of its own: what it computes, and nothing that needs a heap, threads or files.

// First what may refuse a compiler or a model.
#include "sinter/core/macros.hpp"
#include "sinter/int8/refusal.hpp"
// The rest.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "sinter/core/tensor.hpp"
#include "sinter/int8/engine.hpp"
#include "sinter/int8/native.hpp"
#include "sinter/int8/stored.hpp"
#include "sinter/layers/all.hpp"
#include "sinter/model/sequential.hpp"
#include "sinter/network/model_of.hpp"
#include "sinter/network/refused_calls.hpp"

SINTER_NAMESPACE_BEGIN

/// The working memory of QuantizedView::forward, for batches of up to Rows rows and one thread at a time. The object
/// contains all of it: make it static, a member, or local if the stack is large enough.
template <class ModelType, std::size_t Rows, class Isa = int8::NativeInPlace, class Model = detail::ModelOf<ModelType>>
class QuantizedWorkspace {
 public:
  using Engine = int8::Engine<Model, Isa, int8::StoredOf<Model>>;
  static constexpr std::size_t tile = Rows < Engine::tile ? Rows : Engine::tile;

  typename Engine::Workspace memory() { return {tile, values_, operand_}; }
  float* outputs() { return outputs_.data(); }

 private:
  static_assert(Rows > 0, "sinter: a workspace for 0 rows was asked for; give the largest batch that you will use");
  alignas(16) std::array<std::uint8_t, Engine::value_bytes(tile)> values_{};
  alignas(16) std::array<typename Engine::Operand, Engine::operands(tile)> operand_{};
  std::array<float, Rows* static_cast<std::size_t>(Model::OutputRow::size)> outputs_{};
};

/// A quantized network that reads its constants in place, which must outlive it. It uses no heap, threads, streams or
/// files. Threads may share it.
///
///     static QuantizedWorkspace<LeNet, 1> workspace;
///     static constexpr QuantizedView<LeNet> net(lenet_int8);  // from a header that export_header() wrote
///     const auto y = net.forward(x, workspace);
template <class ModelType, class Isa = int8::NativeInPlace, class Distinct = detail::ModelOf<ModelType>>
class QuantizedView {
  static_assert(sizeof(int8::CheckModel<Distinct>) > 0);
  static_assert(Isa::group == int8::kept_group, "sinter: these instructions read weights in another order");
  using Stored = int8::StoredOf<Distinct>;

 public:
  using Model = Distinct;
  using Scalar = float;
  using InputRow = typename Model::InputRow;
  using OutputRow = typename Model::OutputRow;
  static constexpr int input_size = InputRow::size, output_size = OutputRow::size;

  template <std::uint64_t Of, std::size_t... Sizes>
  constexpr explicit QuantizedView(const StoredQuantized<Of, Sizes...>& stored) : stored_(of(stored)) {
    static_assert(Of == fingerprint<Model>,
                  "sinter: these constants belong to another model: export them from a network of this one");
    static_assert(Of != fingerprint<Model> || std::is_same_v<StoredQuantized<Of, Sizes...>, Stored>,
                  "sinter: these constants were exported by another version of sinter: export them by this one");
  }
  // Of a temporary that is destroyed after this line.
  template <std::uint64_t Of, std::size_t... Sizes>
  explicit QuantizedView(const StoredQuantized<Of, Sizes...>&&) = delete;

  /// The outputs, [x.rows][output], as a view into the workspace that is valid until its next use: the same bits as
  /// from QuantizedNetwork::forward. Runs on the calling thread, without allocation, locks or exceptions. More than
  /// Rows rows end the program with a message. Inputs are scaled as export_header() was told.
  template <class T, std::size_t Rows>
  TensorView<const float, OutputRow> forward(TensorView<T, InputRow> x,
                                             QuantizedWorkspace<ModelType, Rows, Isa>& workspace) const noexcept {
    if (x.rows > Rows || (x.data == nullptr && x.rows > 0))
      end_program([&] { return detail::rows_problem(x.rows, Rows, x.data == nullptr); });
    auto memory = workspace.memory();
    int8::Engine<Model, Isa, Stored>::forward_tiles(stored_, BatchInputs<TensorView<const T, InputRow>>{x}, x.rows,
                                                    memory, workspace.outputs());
    return {workspace.outputs(), x.rows};
  }
  /// One row, of input_size numbers.
  template <class T, std::size_t Rows>
  std::span<const float, static_cast<std::size_t>(output_size)> forward(
      std::span<const T, static_cast<std::size_t>(input_size)> x,
      QuantizedWorkspace<ModelType, Rows, Isa>& workspace) const noexcept {
    const auto y = forward(TensorView<const T, InputRow>{x.data(), 1}, workspace);
    return std::span<const float, static_cast<std::size_t>(output_size)>(y.data, static_cast<std::size_t>(output_size));
  }

 private:
  template <class Given>
  static constexpr const Stored* of([[maybe_unused]] const Given& stored) {
    if constexpr (std::is_same_v<Given, Stored>)
      return &stored;
    else
      return nullptr;
  }

  const Stored* stored_;
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::QuantizedView;
using internal::QuantizedWorkspace;
}  // namespace sinter
