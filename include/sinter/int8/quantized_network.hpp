// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/core/tensor.hpp"
#include "sinter/data/dataset.hpp"
#include "sinter/int8/calibrate.hpp"
#include "sinter/int8/check_rows.hpp"
#include "sinter/int8/host_engine.hpp"
#include "sinter/int8/native.hpp"
#include "sinter/int8/pack.hpp"
#include "sinter/int8/refusal.hpp"
#include "sinter/network/model_of.hpp"
#include "sinter/network/network.hpp"
#include "sinter/network/refused_calls.hpp"

SINTER_NAMESPACE_BEGIN

/// A trained network in integers: weights of 8 bits with a scale for each output channel, activations of 8 bits with a
/// scale and a zero point for each value, sums of 32 bits that cannot overflow (Jacob et al., 2018). quantize() makes
/// it. The 8 bits of every value are the same on every machine, and so are the outputs, except that a last Softmax or
/// LogSoftmax is computed in floats. Threads may share one; each needs a workspace of its own.
///
///     const auto quantized = quantize(net, rows);
///     auto workspace = quantized.workspace(1);
///     const auto y = quantized.forward(x, workspace);
template <class ModelType, class Isa = int8::Native, class Distinct = detail::ModelOf<ModelType>>
class QuantizedNetwork : public detail::RefusedCalls {
  static_assert(sizeof(int8::CheckModel<Distinct>) > 0);

 public:
  using Model = Distinct;
  using Device = Host;
  using Scalar = float;
  using Ops = Program<Model>;
  using Engine = int8::HostEngine<Model, Isa>;
  using Weights = int8::Weights<Model>;
  using InputRow = typename Model::InputRow;
  using OutputRow = typename Model::OutputRow;
  static constexpr bool on_host = true;
  static constexpr int input_size = InputRow::size, output_size = OutputRow::size;

  explicit QuantizedNetwork(Weights weights, Device device = {})
      : weights_(std::move(weights)), device_(std::move(device)) {}
  /// The same for other instructions.
  template <class Name, class Other>
  explicit QuantizedNetwork(const QuantizedNetwork<Name, Other, Model>& other)
      : QuantizedNetwork(*other.data(), other.device()) {}

  const Device& device() const { return device_; }
  /// All its constants.
  const int8::Prepared<Model, Isa>* data() const { return &weights_; }

  /// Memory for forward passes of up to max_batch rows, for one thread at a time. Every allocation happens here.
  class Workspace {
   public:
    Workspace(const Device& device, std::size_t max_batch)
        : engine_(device, max_batch), output_(max_batch * output_size) {}
    std::size_t max_batch() const { return output_.size() / output_size; }

   private:
    friend QuantizedNetwork;
    typename Engine::Workspace engine_;
    AlignedArray<float> output_;
  };
  Workspace workspace(std::size_t max_batch) const {
    if (max_batch == 0 || max_batch > INT32_MAX) fail(detail::workspace_problem(max_batch));
    return Workspace(device_, max_batch);
  }

  /// y [batch][output] as a view into the workspace, valid until its next use: as Network::forward. A NaN counts as the
  /// smallest input.
  template <class T>
  TensorView<const float, OutputRow> forward(TensorView<T, InputRow> x, Workspace& workspace,
                                             Normalize normalize) const noexcept {
    if (x.rows > workspace.max_batch() || (x.data == nullptr && x.rows > 0))
      end_program(detail::rows_problem(x.rows, workspace.max_batch(), x.data == nullptr));
    if (!normalize.is_sound()) end_program(normalize.problem());
    Engine::forward_tiles(data(), BatchInputs<TensorView<const T, InputRow>>{x, {}, normalize}, x.rows,
                          workspace.engine_, workspace.output_.data());
    return {workspace.output_.data(), x.rows};
  }
  template <class T>
  TensorView<const float, OutputRow> forward(TensorView<T, InputRow> x, Workspace& workspace) const noexcept {
    static_assert(!needs_scale<T>,
                  "sinter: integers need a scale: forward(x, workspace, Normalize::pixels(mean, deviation))");
    return forward(x, workspace, Normalize{});
  }
  template <class T>
  TensorView<const float, OutputRow> forward(const Tensor<T, InputRow>& x, Workspace& workspace) const noexcept {
    return forward(x.view(), workspace);
  }
  template <class T>
  TensorView<const float, OutputRow> forward(const Tensor<T, InputRow>& x, Workspace& workspace,
                                             Normalize normalize) const noexcept {
    return forward(x.view(), workspace, normalize);
  }
  /// The rows of a dataset, scaled as it says.
  template <Dataset D>
  TensorView<const float, OutputRow> forward(const D& data, Workspace& workspace) const noexcept {
    return forward(data.inputs(), workspace, normalize_of(data));
  }
  /// Anything else is refused with a message.
  template <class First, class... More>
  TensorView<const float, OutputRow> forward(const First&, const More&...) const {
    static_assert(
        std::is_void_v<First>,
        "sinter: forward takes rows in the shape of the network's Input, a workspace, which is a variable, and "
        "for integers a Normalize: auto workspace = net.workspace(rows); net.forward(x, workspace)");
    return {};
  }

 private:
  int8::Prepared<Model, Isa> weights_;
  Device device_;
};

namespace detail {
template <class Net, class View>
QuantizedNetwork<detail::Declared<typename Net::Model>> quantized(const Net& net, const BatchInputs<View>& inputs) {
  using Model = typename Net::Model;
  int8::Weights<Model> weights;
  if constexpr (int8::refused_op<Program<Model>> < 0) {
    const auto& from = net.to_host();
    const std::vector<double> parameters(from.data(), from.data() + from.size());
    weights.values = int8::quantizations_of<Model>(int8::ranges_of<Model>(parameters.data(), inputs, "quantize"));
    int8::Packer<Model>(parameters.data(), weights).pack();
  }
  if constexpr (std::is_same_v<typename Net::Device, Host>)
    return QuantizedNetwork<detail::Declared<Model>>(std::move(weights), net.device());
  else
    return QuantizedNetwork<detail::Declared<Model>>(std::move(weights));
}
}  // namespace detail

/// A trained network in 8 bits. The scales of activations are those that the smallest and the largest number of each
/// value need over the given rows, which should be like those of use: some hundred rows of the training data. Rows
/// beyond these ranges are computed with the nearest number in range. Computes them by plain loops in double. Fails on
/// numbers that are not finite. Runs on the host; of a network on Host it takes the threads.
template <class Net, Dataset D>
QuantizedNetwork<detail::Declared<typename Net::Model>> quantize(const Net& net, const D& data) {
  detail::check_rows<Net, inputs_of<D>, says_scale<D>>();
  return detail::quantized(net, BatchInputs<inputs_of<D>>{data.inputs(), {}, normalize_of(data)});
}
/// The same with rows that have no targets, scaled by `normalize`; bytes need it, as in training.
template <class Net, class T, class S>
QuantizedNetwork<detail::Declared<typename Net::Model>> quantize(const Net& net, TensorView<T, S> rows,
                                                                 Normalize normalize) {
  detail::check_rows<Net, TensorView<T, S>, true>();
  return detail::quantized(net, BatchInputs<TensorView<const T, S>>{rows, {}, normalize});
}
template <class Net, class T, class S>
QuantizedNetwork<detail::Declared<typename Net::Model>> quantize(const Net& net, TensorView<T, S> rows) {
  detail::check_rows<Net, TensorView<T, S>, false>();
  return detail::quantized(net, BatchInputs<TensorView<const T, S>>{rows});
}
template <class Net, class T, class S>
QuantizedNetwork<detail::Declared<typename Net::Model>> quantize(const Net& net, const Tensor<T, S>& rows) {
  detail::check_rows<Net, TensorView<const T, S>, false>();
  return detail::quantized(net, BatchInputs<TensorView<const T, S>>{rows.view()});
}
template <class Net, class T, class S>
QuantizedNetwork<detail::Declared<typename Net::Model>> quantize(const Net& net, const Tensor<T, S>& rows,
                                                                 Normalize normalize) {
  return quantize(net, rows.view(), normalize);
}
/// Anything else is refused with a message.
template <class First, class... More>
detail::AnyAnswer quantize(const First&, const More&...) {
  static_assert(std::is_void_v<First>,
                "sinter: quantize takes a network, some hundred rows of its data, as a dataset or a Tensor, and for "
                "integers a Normalize: quantize(net, rows)");
  return {};
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::quantize;
using internal::QuantizedNetwork;
}  // namespace sinter
