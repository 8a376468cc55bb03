// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sinter/core/aligned.hpp"
#include "sinter/core/tensor.hpp"
#include "sinter/core/text.hpp"
#include "sinter/data/batch.hpp"
#include "sinter/kernels/host/engine.hpp"
#include "sinter/kernels/reference/device_engine.hpp"
#include "sinter/model/program.hpp"
#include "sinter/network/given_inputs.hpp"
#include "sinter/network/gradient_use.hpp"
#include "sinter/network/initial_values.hpp"
#include "sinter/network/model_of.hpp"
#include "sinter/network/network_options.hpp"
#include "sinter/network/parameter_names.hpp"
#include "sinter/network/precision.hpp"
#include "sinter/network/refused_calls.hpp"

SINTER_NAMESPACE_BEGIN

template <class ModelType, class T = float, class Isa = isa::Native, class Distinct = detail::ModelOf<ModelType>>
class Function;

/// Whether the parameters of a model are the first ones of another: the same model, or the beginning of it.
template <class Model, class Other>
concept HasParametersOf = std::same_as<Model, Other> || std::same_as<typename Model::Whole, Other>;

/// A network: a model, its parameters, and the device that runs it. A value: copies are independent, and a network may
/// be assigned from one of the same model on another device or in another precision.
///
///     Network<LeNet> net{{.seed = 1}};
///     Network<LeNet, Host> net{Host{.threads = 2}, {.seed = 1}};
template <class ModelType, class DeviceType = Host, class Precision = Float32,
          class Distinct = detail::ModelOf<ModelType>>
class Network : public detail::RefusedCalls {
 public:
  using Model = Distinct;  // ModelType, with the hash of its layers in its name
  using Device = DeviceType;
  using Scalar = typename Precision::Scalar;
  using Engine = typename EngineFor<Model, Scalar, Device>::Type;
  using Ops = Program<Model>;
  using InputRow = typename Model::InputRow;
  using OutputRow = typename Model::OutputRow;
  using Array = typename Engine::template Array<Scalar>;
  static constexpr bool on_host = !KeepsData<Engine>;  // where forward neither fails nor allocates
  static constexpr int input_size = InputRow::size, output_size = OutputRow::size;

  explicit Network(NetworkOptions options = {}) : Network(Device{}, options) {}
  explicit Network(Device device, NetworkOptions options = {})
      : device_(settled(std::move(device))),
        options_(options),
        parameters_(Engine::to_device(device_, detail::initial_values<Ops, Scalar>(options))) {}
  template <class = void>
  explicit Network(...) = delete;  // sinter: Network<Model> net{{.seed = 1}}, or net{Host{.threads = 2}, {.seed = 1}}
  /// The same parameters and seed on this device or in this precision; for a Truncate, of the whole network.
  template <class Other, class OtherDevice, class OtherPrecision, class OtherModel>
    requires HasParametersOf<Model, OtherModel>
  Network(const Network<Other, OtherDevice, OtherPrecision, OtherModel>& other)
      : Network(like(other.device()), {.seed = other.seed()}) {
    *this = other;
  }

  /// Takes the parameters of the same model, wherever they are, or, for a Truncate, of the whole one.
  template <class Other, class OtherDevice, class OtherPrecision, class OtherModel>
    requires HasParametersOf<Model, OtherModel>
  Network& operator=(const Network<Other, OtherDevice, OtherPrecision, OtherModel>& other) {
    const auto& from = other.to_host();
    AlignedArray<Scalar> values(storage_size);
    const auto copy = [&](int begin, int count, int to) {
      std::transform(from.data() + begin, from.data() + begin + count, values.data() + to,
                     [](auto x) { return static_cast<Scalar>(x); });
      detail::check_narrowed(from.data() + begin, values.data() + to, count);
    };
    copy(0, Ops::arena_size, 0);
    copy(Program<OtherModel>::arena_size, Ops::storage_size - Ops::arena_size, Ops::arena_size);
    parameters_ = Engine::to_device(device_, std::move(values));
    return gradient_use_.change_weights(), *this;
  }

  const Device& device() const { return device_; }
  std::uint64_t seed() const { return options_.seed; }

  // -- parameters -----------------------------------------------------------------------------------------------------

  std::vector<NamedParameter<Scalar>> parameters() { return parameters_of<Scalar>(*this); }
  std::vector<NamedParameter<const Scalar>> parameters() const { return parameters_of<const Scalar>(*this); }
  /// The parameters of a layer ("2" or 2), or of a layer inside another one ("2.path.0").
  std::vector<NamedParameter<Scalar>> parameters(const detail::ParameterPlace& place) {
    return detail::those_of(parameters(), detail::parameters_below(Ops::parameters, place));
  }
  std::vector<NamedParameter<const Scalar>> parameters(const detail::ParameterPlace& place) const {
    return detail::those_of(parameters(), detail::parameters_below(Ops::parameters, place));
  }
  /// What is kept and not trained, by PyTorch's names: "1.running_mean". There are no gradients.
  std::vector<NamedParameter<Scalar>> buffers() { return buffers_of<Scalar>(*this); }
  std::vector<NamedParameter<const Scalar>> buffers() const { return buffers_of<const Scalar>(*this); }
  /// The parameter of that name ("2.weight"), or the only one of a layer ("2" or 2); an error names those that are most
  /// like it.
  std::span<Scalar> parameter(const detail::ParameterPlace& place) {
    check_on_host();
    return part_of<Scalar>(parameters_, Ops::parameters[index_of(place)]);
  }
  std::span<const Scalar> parameter(const detail::ParameterPlace& place) const {
    check_on_host();
    return part_of<const Scalar>(parameters_, Ops::parameters[index_of(place)]);
  }
  /// Its number in Program::parameters.
  SINTER_COLD static std::size_t index_of(const detail::ParameterPlace& place) {
    return detail::parameter_at(Ops::parameters, place);
  }
  /// The arena in the memory of the host: a copy, where the device has its own.
  decltype(auto) to_host() const {
    check_present();
    return Engine::to_host(parameters_);
  }
  /// Takes an arena from the memory of the host: numbers as to_host gives them.
  void from_host(std::span<const Scalar> values) {
    if (values.size() != storage_size)
      fail(joined({"parameters of ", values.size(), " numbers were given to a network with ", storage_size,
                   "; pass what to_host() of the same model gives"}));
    check_present();
    gradient_use_.change_weights();
    if constexpr (on_host) {
      std::copy(values.begin(), values.end(), parameters_.data());
    } else {
      AlignedArray<Scalar> copy(storage_size);
      std::copy(values.begin(), values.end(), copy.data());
      parameters_ = Engine::to_device(device_, std::move(copy));
    }
  }
  /// The array of parameters and buffers, Program<Model>::storage_size numbers in the device's memory.
  const Scalar* data() const { return check_present(), parameters_.data(); }
  Scalar* data() { return check_present(), parameters_.data(); }

  // -- inference ------------------------------------------------------------------------------------------------------

  /// Memory for forward passes of up to max_batch rows, for one thread at a time. Every allocation happens here.
  class Workspace {
   public:
    Workspace(const Device& device, std::size_t max_batch)
        : engine_(device, max_batch), output_(max_batch * output_size) {}
    std::size_t max_batch() const { return output_.size() / output_size; }  // 0 where it has been moved from

   private:
    friend Network;
    typename Engine::Workspace engine_;
    AlignedArray<Scalar> output_;
  };
  Workspace workspace(std::size_t max_batch) const {
    if (max_batch == 0 || max_batch > INT32_MAX) fail(detail::workspace_problem(max_batch));
    return Workspace(device_, max_batch);
  }

  /// y [batch][output] as a view into the workspace, valid until its next use. On the calling thread: no allocation,
  /// no lock. One const network serves many threads, each with its own workspace; a row's result does not depend on its
  /// batch. x may have at most workspace.max_batch() rows (more end the program with a message). Bytes need the scale
  /// that they had in training: `Normalize::pixels(mean, deviation)`, or a dataset.
  template <class T>
  TensorView<const Scalar, OutputRow> forward(TensorView<T, InputRow> x, Workspace& workspace) const noexcept(on_host) {
    static_assert(!needs_scale<T>,
                  "sinter: integers need a scale: forward(x, workspace, Normalize::pixels(mean, deviation))");
    return compute(BatchInputs<TensorView<const T, InputRow>>{x}, workspace);
  }
  template <class T>
  TensorView<const Scalar, OutputRow> forward(TensorView<T, InputRow> x, Workspace& workspace,
                                              Normalize normalize) const noexcept(on_host) {
    return compute(BatchInputs<TensorView<const T, InputRow>>{x, {}, checked(normalize)}, workspace);
  }
  /// For several inputs, in their order or by name(), each read in place: net.forward(pictures, numbers, workspace).
  template <class First, class... More>
    requires detail::TakesInputs<Model, Workspace, More...>
  TensorView<const Scalar, OutputRow> forward(const First& first, More&&... more) const noexcept(on_host) {
    const auto run = [this](const auto& x, Workspace& memory) { return this->compute(BatchInputs{x}, memory); };
    if constexpr (detail::check_given<Network, int{sizeof...(More)}, First, More...>())
      return detail::forward_inputs<Network>(run, [](const auto& message) { refuse(message()); }, first, more...);
    return {};
  }
  /// x in the memory of the device, as y then is, too; nothing is copied, and the call does not wait.
  template <class T, class Memory>
    requires(!std::same_as<Memory, HostMemory>)
  TensorView<const Scalar, OutputRow, Memory> forward(TensorView<T, InputRow, Memory> x, Workspace& workspace,
                                                      Normalize normalize = {}) const {
    const BatchInputs<TensorView<const T, InputRow, Memory>> from{x, {}, checked(normalize)};
    check_fits(x, workspace);
    return {Engine::forward_on_device(parameters_.data(), from, x.rows, workspace.engine_), x.rows};
  }
  template <class T>
  auto forward(const Tensor<T, InputRow>& x, Workspace& workspace) const noexcept(on_host) {
    return forward(x.view(), workspace);
  }
  /// The rows of a dataset (a `subset` of one), scaled as it says.
  template <Dataset D>
  auto forward(const D& data, Workspace& workspace) const noexcept(on_host) {
    return forward(data.inputs(), workspace, normalize_of(data));
  }
  /// Anything else is refused with a message.
  template <class X, class... Scale>
  TensorView<const Scalar, OutputRow> forward(const X&, Workspace&, const Scale&...) const noexcept(on_host) {
    static_assert(has_rows_of<X, InputRow> || !detail::has_model<Network>,
                  "sinter: forward was given rows that do not have the shape of the network's Input: see "
                  "has_rows_of<given, needed>; numbers of yours come as TensorView<const float, Shape<..>>::from(x)");
    return {};
  }
  template <class X, class Other, class... Scale>
    requires(!std::same_as<Other, Workspace&>)
  TensorView<const Scalar, OutputRow> forward(const X&, Other&&, const Scale&...) const {
    static_assert(std::is_void_v<X>,
                  "sinter: forward takes a workspace after the rows, a variable: auto workspace = net.workspace(rows); "
                  "const auto y = net.forward(x, workspace); or predict(net, x)");
    return {};
  }
  template <class X>
  TensorView<const Scalar, OutputRow> forward(const X&) const {
    static_assert(std::is_void_v<X>,
                  "sinter: forward takes its memory, too: auto workspace = net.workspace(rows); net.forward(x, "
                  "workspace); or predict(net, x)");
    return {};
  }
  template <class T, class... More>
  TensorView<const Scalar, OutputRow> forward(std::initializer_list<T>, More&&...) const {
    static_assert(std::is_void_v<T>, "sinter: rows say their shape: const Tensor<float, Shape<2>> x{1, 2}, then x");
    return {};
  }

  /// A function of one row that refers to these parameters, on the host and in kernels: include <sinter/function.hpp>.
  template <class Called = Function<ModelType, Scalar>>
  auto function(Normalize normalize = {}) const& {
    return Called::on_host(*this, normalize);  // sinter: unknown? include <sinter/function.hpp>
  }
  template <class Called = Function<ModelType, Scalar>>
  auto device_function(Normalize normalize = {}) const& {
    return Called::on_device(*this, normalize);  // sinter: unknown? include <sinter/function.hpp>
  }
  void function(Normalize = {}) const&& = delete;  // sinter: of a temporary, which is destroyed after this line

  // -- for Trainer ----------------------------------------------------------------------------------------------------

  Array& gradient() {
    if (gradient_.size() == 0) gradient_ = Engine::zeros(device_, arena_size);
    return gradient_;
  }
  detail::GradientUse& gradient_use() { return gradient_use_; }

 private:
  static constexpr std::size_t arena_size = static_cast<std::size_t>(Ops::arena_size);
  static constexpr std::size_t storage_size = static_cast<std::size_t>(Ops::storage_size);

  static Device settled(Device device) {
    if constexpr (requires { device.settle(); }) device.settle();
    return device;
  }
  template <class OtherDevice>
  static Device like(const OtherDevice& other) {
    if constexpr (std::same_as<OtherDevice, Device>)
      return other;
    else
      return Device{};
  }
  static void check_on_host() {
    static_assert(
        on_host,
        "sinter: the parameters of this network are in the memory of a GPU: assign it to a network on Host and "
        "look there, or use the address data() with Program<Model>::parameters");
  }
  template <class View>
  TensorView<const Scalar, OutputRow> compute(const BatchInputs<View>& x, Workspace& workspace) const {
    check_fits(x.view, workspace);
    Engine::forward(parameters_.data(), x, x.view.rows, workspace.engine_, workspace.output_.data());
    return {workspace.output_.data(), x.view.rows};
  }
  static Normalize checked(Normalize by) { return by.is_sound() ? by : (refuse(by.problem()), by); }
  void check_fits(const auto& x, const Workspace& workspace) const {
    if (!present()) refuse(gone);
    if (x.rows > workspace.max_batch() || (x.data == nullptr && x.rows > 0))
      refuse(detail::rows_problem(x.rows, workspace.max_batch(), x.data == nullptr));
  }
  template <class T, class Arena>
  static std::span<T> part_of(Arena& arena, const Parameter& p) {
    return {arena.data() + p.offset, static_cast<std::size_t>(p.size)};
  }
  template <class T, class Self>
  static NamedParameter<T> named(Self& self, const Parameter& p) {
    return {p.name, part_of<T>(self.parameters_, p), {}, {p.shape.begin(), p.shape.begin() + p.rank}};
  }
  template <class T, class Self>
  static std::vector<NamedParameter<T>> parameters_of(Self& self) {
    check_on_host();
    self.check_present();
    std::vector<NamedParameter<T>> all;
    for (const Parameter& p : Ops::parameters) {
      all.push_back(named<T>(self, p));
      if (self.gradient_.size()) all.back().gradient = part_of<T>(self.gradient_, p);
    }
    return all;
  }
  template <class T, class Self>
  static std::vector<NamedParameter<T>> buffers_of(Self& self) {
    check_on_host();
    self.check_present();
    std::vector<NamedParameter<T>> all;
    for (const Parameter& p : Ops::buffers) all.push_back(named<T>(self, p));
    return all;
  }
  /// Ends the program with a message, because a `noexcept` function cannot throw.
  static void refuse(const std::string& text) {
    if constexpr (on_host)
      end_program(text);
    else
      fail(text);
  }
  bool present() const { return arena_size == 0 || parameters_.data() != nullptr; }
  void check_present() const {
    if (!present()) fail(gone);
  }
  static constexpr const char* gone =
      "a network was used that has been moved from; use the one that it was moved to, or assign one to it first";

  Device device_;
  NetworkOptions options_;
  Array parameters_;
  Array gradient_;
  detail::GradientUse gradient_use_;

  // Checked last: clang reads no further in a class that it refuses.
  [[no_unique_address]] detail::ModelOrNothing<ModelType> model_;
  static constexpr bool is_model = detail::ShowsLayers<ModelType> || detail::has_nothing<ModelType>();
  static_assert(is_model,
                "sinter: this is not a model: derive it from Sequential<Input<..>, ..> by struct, or by class with "
                "public, and name it: Network<Model> net");
};
template <class... Given>
Network(const Given&...) -> Network<detail::ModelLeftOut>;

SINTER_NAMESPACE_END

namespace sinter {
using internal::Network;
}  // namespace sinter
