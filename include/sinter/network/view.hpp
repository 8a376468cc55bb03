// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "sinter/core/isa.hpp"
#include "sinter/core/tensor.hpp"
#include "sinter/kernels/host/inference.hpp"
#include "sinter/network/budget.hpp"
#include "sinter/network/given_inputs.hpp"
#include "sinter/network/model_of.hpp"
#include "sinter/network/packed.hpp"
#include "sinter/network/refused_calls.hpp"
#include "sinter/network/stored_weights.hpp"
#include "sinter/network/unpacked.hpp"

SINTER_NAMESPACE_BEGIN

/// The working memory of View::forward, for batches of up to Rows rows and one thread at a time. The object contains
/// all of it, workspace_bytes<Model, Rows>: make it static, a member, or local if the stack is large enough.
template <class ModelType, std::size_t Rows, class Isa = isa::Native, class Distinct = detail::ModelOf<ModelType>>
class FixedWorkspace {
 public:
  using Model = Distinct;
  using Inference = HostInference<Model, float, Isa>;
  static constexpr typename Inference::Memory parts{Rows};
  static constexpr std::size_t max_batch() { return Rows; }
  float* memory() { return memory_.data(); }
  float* outputs() { return memory_.data() + parts.size; }

 private:
  alignas(64) std::array<float, workspace_bytes<Model, Rows, Float32, Isa> / sizeof(float)> memory_{};
};

/// A trained network that reads weights in place: a constant of the program, or a file mapped into memory. It copies
/// nothing, so the weights must outlive it. It uses no heap, threads, streams or files. Threads may share it.
///
///     static FixedWorkspace<LeNet, 1> workspace;
///     const View<LeNet> net(lenet_weights);              // from a header that export_header() wrote
///     const auto y = net.forward(x, workspace);
///
/// Weights that are stored as float16 or int8 are read in place, too, and converted as they are read: View<LeNet,
/// Storage::int8>. It computes rows one by one, with the bits of a View of an Unpacked, but takes longer. With
/// Storage::panels, which are packed for one row, it takes the least time.
template <class ModelType, Storage Kind = Storage::float32, class Isa = isa::Native,
          class Distinct = detail::ModelOf<ModelType>>
class View {
  using Inference = HostInference<Distinct, float, Isa>;
  using Number = detail::NumberOf<Kind>;
  static constexpr bool floats = Kind == Storage::float32;

 public:
  using Model = Distinct;
  using Scalar = float;
  using InputRow = typename Model::InputRow;
  using OutputRow = typename Model::OutputRow;
  static constexpr int input_size = InputRow::size, output_size = OutputRow::size;

  template <class Other, std::uint64_t Of, std::size_t Numbers, std::size_t Floats>
  constexpr explicit View(const Stored<Other, Of, Numbers, Floats>& weights) : weights_(of(weights)) {
    static_assert(std::is_same_v<Other, Number>,
                  "sinter: these weights have another storage than this View reads: name it, as in "
                  "View<Model, Storage::int8>, or make an Unpacked<Model> of them and a View<Model> of that");
    static_assert(Of == fingerprint<Model>,
                  "sinter: these weights belong to another model: export them from a network of this one");
  }
  constexpr explicit View(const Unpacked<ModelType>& weights)
    requires floats
      : weights_(weights.data()) {}
  /// Bytes written by packed_bytes() or save_packed() in this storage, at an address that is a multiple of 4 (better
  /// 64). Fails if they are damaged, of another model, or stored otherwise.
  explicit View(std::span<const std::byte> packed) : weights_(of(detail::parts_of_packed<Model>(packed))) {}
  // Of a temporary that is destroyed after this line.
  template <class Number, std::uint64_t Of, std::size_t Numbers, std::size_t Floats>
  explicit View(const Stored<Number, Of, Numbers, Floats>&&) = delete;
  explicit View(const Unpacked<ModelType>&&) = delete;
  explicit View(const std::vector<std::byte>&&) = delete;

  constexpr const float* data() const
    requires floats
  {
    return weights_;
  }

  /// The weights as they are stored, for StreamWeights.
  constexpr const auto& stored() const { return weights_; }

  /// The outputs, [x.rows][output], as a view into the workspace that is valid until its next use: the same bits as
  /// from Network::forward. Runs on the calling thread, without allocation, locks or exceptions. More than Rows rows
  /// end the program with a message. Inputs are used as they are, or scaled by `normalize`; bytes need it, as in
  /// training.
  template <class T, std::size_t Rows>
  TensorView<const float, OutputRow> forward(TensorView<T, InputRow> x, FixedWorkspace<ModelType, Rows, Isa>& workspace,
                                             Normalize normalize) const noexcept {
    if (!normalize.is_sound()) end_program([&] { return normalize.problem(); });
    return compute(BatchInputs<TensorView<const T, InputRow>>{x, {}, normalize}, workspace);
  }
  template <class T, std::size_t Rows>
  TensorView<const float, OutputRow> forward(TensorView<T, InputRow> x,
                                             FixedWorkspace<ModelType, Rows, Isa>& workspace) const noexcept {
    static_assert(!needs_scale<T>,
                  "sinter: integers need a scale: forward(x, workspace, Normalize::pixels(mean, deviation))");
    return compute(BatchInputs<TensorView<const T, InputRow>>{x}, workspace);
  }
  /// For several inputs, in their order or by name(), each read in place: net.forward(pictures, numbers, workspace).
  template <class First, class... More>
    requires(detail::several_inputs<Model> && sizeof...(More) >= 2)
  TensorView<const float, OutputRow> forward(const First& first, More&&... more) const noexcept {
    const auto run = [this](const auto& x, auto& memory) { return this->compute(BatchInputs{x}, memory); };
    if constexpr (detail::check_given<View, int{sizeof...(More)}, First, More...>())
      return detail::forward_inputs<View>(run, [](const auto& message) { end_program(message); }, first, more...);
    return {};
  }
  /// One row, of input_size numbers.
  template <class T, std::size_t Rows>
  std::span<const float, static_cast<std::size_t>(output_size)> forward(
      std::span<const T, static_cast<std::size_t>(input_size)> x,
      FixedWorkspace<ModelType, Rows, Isa>& workspace) const noexcept {
    const auto y = forward(TensorView<const T, InputRow>{x.data(), 1}, workspace);
    return std::span<const float, static_cast<std::size_t>(output_size)>(y.data, static_cast<std::size_t>(output_size));
  }

 private:
  template <class Rows, std::size_t Most>
  TensorView<const float, OutputRow> compute(const BatchInputs<Rows>& x,
                                             FixedWorkspace<ModelType, Most, Isa>& workspace) const noexcept {
    const std::size_t rows = x.view.rows;
    if (rows > Most || (x.view.data == nullptr && rows > 0))
      end_program([&] { return detail::rows_problem(rows, Most, x.view.data == nullptr); });
    if constexpr (floats && Most > Inference::single_rows)  // with fewer, no code for tiles of rows
      Inference::forward(weights_, x, rows, workspace.parts, workspace.memory(), workspace.outputs());
    else
      Inference::forward_rows(weights_, x, 0, rows, workspace.parts, workspace.memory(), workspace.outputs());
    return {workspace.outputs(), rows};
  }
  using Weights = std::conditional_t<floats, const float*, detail::StoredWeights<Model, Kind>>;

  template <class Other, std::uint64_t Of, std::size_t Numbers, std::size_t Floats>
  static constexpr Weights of([[maybe_unused]] const Stored<Other, Of, Numbers, Floats>& stored) {
    if constexpr (!std::is_same_v<Other, Number>)
      return {};
    else if constexpr (floats)
      return stored.numbers.data();
    else
      return {stored.numbers.data(), stored.floats.data()};
  }
  static Weights of(const detail::PackedParts& parts) {
    if (parts.storage != Kind)
      fail([&] {
        return std::string("the packed weights are stored as ") + detail::name_of(parts.storage) +
               ", and this View reads " + detail::name_of(Kind) +
               "; give it that storage, View<Model, Storage::..>, or make an Unpacked<Model> of them and a View of "
               "that";
      });
    const auto* const numbers = reinterpret_cast<const Number*>(parts.numbers);
    if constexpr (floats)
      return numbers;
    else
      return {numbers, reinterpret_cast<const float*>(parts.floats)};
  }

  Weights weights_;
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::FixedWorkspace;
using internal::View;
}  // namespace sinter
