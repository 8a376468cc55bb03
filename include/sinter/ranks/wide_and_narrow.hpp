// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include "sinter/core/unroll.hpp"
#include "sinter/data/batch.hpp"
#include "sinter/kernels/step_arguments.hpp"
#include "sinter/ranks/column_units.hpp"
#include "sinter/ranks/communicator.hpp"
#include "sinter/ranks/divided_array.hpp"
#include "sinter/ranks/pipeline_stage.hpp"
#include "sinter/ranks/solo.hpp"
#include "sinter/ranks/wide_layer.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// What a rank has of a model whose wide layers are divided by columns: its parts of them, and the narrow layers in
/// between, which all ranks compute alike.
template <class Model, class T, class UnitsOfModel, class Device>
class WideAndNarrow {
 public:
  using Units = UnitsOfModel;

 private:
  using Array = DividedArray<T, Units>;
  template <int K>
  using NarrowModel = typename Units::template Narrow<K>;
  template <int K>
  using Narrow = PipelineStage<NarrowModel<K>, T, Device>;
  template <int K>
  using Wide = WideLayer<Model, T, Units, K, Device>;
  static constexpr int wide = Units::wide;
  static constexpr bool buffers = Units::Ops::buffer_count > 0;

 public:
  WideAndNarrow(Communicator* among, const Device& device) : world_(among) {
    unroll<wide + 1>([&](auto k) {
      constexpr int K = decltype(k)::value;
      std::get<K>(narrow_) = std::make_unique<Narrow<K>>(device);
      if constexpr (K < wide) std::get<K>(wide_) = std::make_unique<Wide<K>>(world(), device);
    });
  }

  Communicator& world() const {
    static thread_local Solo alone;
    return world_ == nullptr ? alone : *world_;
  }
  int ranks() const { return world().size(); }

  /// f(u, unit) for the units that are here, u as a constant.
  template <class F>
  void for_each(F&& f) const {
    unroll<wide + 1>([&](auto k) {
      constexpr int K = decltype(k)::value;
      f(std::integral_constant<int, Units::unit_of_narrow(K)>{}, *std::get<K>(narrow_));
      if constexpr (K < wide)
        std::get<K>(wide_)->for_each([&](auto p, auto& part) {
          f(std::integral_constant<int, Units::unit_of_part(K, decltype(p)::value)>{}, part);
        });
    });
  }
  /// The numbers of a unit that is here, in an array of so many arenas, with the buffers or without.
  template <class Number>
  Number* numbers_of(int unit, Number* all, std::size_t arenas, bool with_buffers) const {
    return all + Array::offset(world().rank(), ranks(), unit, arenas, with_buffers);
  }
  template <class Number>
  Number* parameters_of(int unit, Number* all) const {
    return numbers_of(unit, all, 1, buffers);
  }

  /// y [rows][output] on all ranks.
  template <class View>
  void infer(const T* parameters, const BatchInputs<View>& from, std::size_t rows, T* y) {
    reserve(rows, 0);
    unroll<wide>([&](auto k) {
      constexpr int K = decltype(k)::value;
      infer_narrow<K>(parameters, from, rows, narrow<K>().y.data());
      std::get<K>(wide_)->infer(*this, parameters, narrow<K>().y.data(), rows, narrow<K + 1>().x.data());
    });
    infer_narrow<wide>(parameters, from, rows, y);
  }

  /// Forward and backward of a batch: the sum of the losses.
  template <class Batch, class Loss, class To>
  double accumulate(const T* parameters, const Batch& batch, const Loss& loss, const To& to) {
    reserve(batch.rows, 1);
    unroll<wide>([&](auto k) {
      constexpr int K = decltype(k)::value;
      narrow<K>().forward(parameters_of(Units::unit_of_narrow(K), parameters), rows_of<K>(batch, not_given), 0);
      std::get<K>(wide_)->forward(*this, parameters, batch, narrow<K>().y.data(), narrow<K + 1>().x.data());
    });
    const double sum = narrow<wide>().accumulate(
        parameters_of(Units::unit_of_narrow(wide), parameters), rows_of<wide>(batch, batch.targets), loss,
        GradientSum<T, T*>{to.scale, gradient_of(Units::unit_of_narrow(wide), to), narrow<wide>().dx.data(),
                           to.fraction, to.losses_of_heads});
    unroll<wide>([&](auto k) { this->template backward<wide - 1 - decltype(k)::value>(parameters, batch.rows, to); });
    return sum;
  }

 private:
  template <int K>
  Narrow<K>& narrow() const {
    return *std::get<K>(narrow_);
  }
  void reserve(std::size_t rows, std::size_t kept) const {
    unroll<wide + 1>([&](auto k) { this->template narrow<decltype(k)::value>().reserve(rows, kept); });
  }
  template <class To>
  T* gradient_of(int unit, const To& to) const {
    return numbers_of(unit, to.gradient, 1, false);
  }
  /// What the narrow layers K read: the first ones what the batch has, others the outputs of a wide layer.
  template <int K, class View>
  auto inputs_of(const BatchInputs<View>& batch, std::size_t rows) const {
    if constexpr (K == 0)
      return batch;
    else
      return BatchInputs<TensorView<const T, typename NarrowModel<K>::InputRow>>{{narrow<K>().x.data(), rows}};
  }
  template <int K, class Batch, class Targets>
  auto rows_of(const Batch& batch, const Targets& targets) const {
    return TrainingBatch{.inputs = inputs_of<K>(batch.inputs, batch.rows),
                         .rows = batch.rows,
                         .targets = targets,
                         .samples = batch.samples,
                         .key = batch.key};
  }
  template <int K, class View>
  void infer_narrow(const T* parameters, const BatchInputs<View>& from, std::size_t rows, T* y) const {
    narrow<K>().infer(parameters_of(Units::unit_of_narrow(K), parameters), inputs_of<K>(from, rows), rows, y);
  }
  /// Of wide layer K and the narrow layers before it, unless nothing there has a gradient.
  template <int K, class To>
  void backward(const T* parameters, std::size_t rows, const To& to) {
    using Given = std::remove_const_t<decltype(to.input_gradient)>;
    constexpr bool wanted = K > 0 || Program<NarrowModel<0>>::parameter_count > 0 || !std::is_null_pointer_v<Given>;
    std::get<K>(wide_)->backward(*this, parameters, to.gradient, to.fraction, narrow<K + 1>().dx.data(), rows,
                                 wanted ? narrow<K>().dy.data() : nullptr);
    const auto go_back = [&](auto dx) {
      narrow<K>().backward(
          parameters_of(Units::unit_of_narrow(K), parameters), rows, 0,
          GradientSum<T, decltype(dx)>{T(1), gradient_of(Units::unit_of_narrow(K), to), dx, to.fraction});
    };
    if constexpr (K > 0)
      go_back(narrow<K>().dx.data());
    else if constexpr (wanted)
      go_back(to.input_gradient);
  }

  template <int... K>
  static auto narrow_of(std::integer_sequence<int, K...>) -> std::tuple<std::unique_ptr<Narrow<K>>...>;
  template <int... K>
  static auto wide_of(std::integer_sequence<int, K...>) -> std::tuple<std::unique_ptr<Wide<K>>...>;

  Communicator* world_;
  decltype(narrow_of(std::make_integer_sequence<int, wide + 1>{})) narrow_;
  decltype(wide_of(std::make_integer_sequence<int, wide>{})) wide_;
};

}  // namespace detail

SINTER_NAMESPACE_END
