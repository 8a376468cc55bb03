// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <string>

#include "sinter/core/aligned.hpp"
#include "sinter/data/batch.hpp"
#include "sinter/device/engine.hpp"
#include "sinter/kernels/step_arguments.hpp"
#include "sinter/kernels/steps.hpp"
#include "sinter/loss/supplied.hpp"
#include "sinter/model/program.hpp"
#include "sinter/optimizer/sgd.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

// The arguments of the concepts below: any inputs, targets, loss and optimizer would do.
template <class Model, class T>
using AnyView = TensorView<const T, shape_of<Program<Model>::input>>;
template <class Model, class T>
using AnyInputs = BatchInputs<AnyView<Model, T>>;
template <class Model, class T>
using AnyOutputs = TensorView<const T, shape_of<Program<Model>::output>>;
using AnyTargets = BatchTargets<std::span<const int>>;
template <class Model, class T>
using AnyData = DataView<AnyView<Model, T>, std::span<const int>>;

template <class E, class Model, class T>
concept HasArrays = requires(const typename E::Device& device, const AlignedArray<T>& values,
                             const typename E::template Array<T>& array, std::size_t n) {
  { E::zeros(device, n) } -> std::same_as<typename E::template Array<T>>;
  { E::to_device(device, values) } -> std::same_as<typename E::template Array<T>>;
  { E::to_host(array) } -> std::convertible_to<AlignedArray<T>>;
  { array.size() } -> std::same_as<std::size_t>;
};

template <class E, class Model, class T>
concept Forwards = requires(const E& engine, typename E::Workspace& workspace, const T* parameters,
                            const AnyInputs<Model, T>& inputs, T* y, std::size_t n) {
  requires std::constructible_from<typename E::Workspace, const typename E::Device&, std::size_t>;
  { engine.threads() } -> std::same_as<int>;
  E::forward(parameters, inputs, n, workspace, y);
};

template <class E, class Model, class T, class Loss>
concept Trains =
    requires(E& engine, typename E::template Array<T>& gradient, const T* parameters, const Loss& loss,
             const TrainingBatch<AnyInputs<Model, T>, AnyTargets>& batch, const GradientSum<T>& parameters_alone,
             const GradientSum<T, T*>& with_input, const UpdateStep<SGD>& update, const Arenas<T>& arenas) {
      typename E::StepLoss;
      { engine.accumulate(parameters, batch, loss, parameters_alone) } -> std::same_as<double>;
      { engine.accumulate(parameters, batch, loss, with_input) } -> std::same_as<double>;
      engine.scale(gradient, T(1));
      { engine.all_finite(gradient) } -> std::same_as<bool>;
      engine.apply(update, arenas);
    };

/// Steps on a dataset, as many in a call as nothing interrupts.
template <class E, class Model, class T, class Loss>
concept MakesSteps = requires(E& engine, const AnyData<Model, T>& data, const Loss& loss, const UpdateStep<SGD>& update,
                              const Arenas<T>& arenas, const StepsWanted& wanted, std::size_t n) {
  { engine.keep(data, true).size } -> std::convertible_to<std::size_t>;
  { engine.template most_steps<SGD::states>(n) } -> std::same_as<std::size_t>;
  { engine.steps(engine.keep(data, true), wanted, loss, update, arenas) } -> std::same_as<StepsDone>;
};

/// In host memory: rows and weights are checked in place.
template <class E, class Model, class T>
concept WorksOnHost =
    requires(E& trained, const E& engine, const UpdateStep<SGD>& update, const Arenas<const T>& arenas,
             const T* parameters, T* y, const TrainingBatch<AnyInputs<Model, T>, NotGiven>& forward,
             const TrainingBatch<NotGiven, BatchTargets<AnyOutputs<Model, T>>>& backward,
             const GradientSum<T>& parameters_alone, const GradientSum<T, T*>& with_input) {
      trained.forward_kept(parameters, forward, y);
      trained.backward_kept(parameters, backward, SuppliedGradient{}, parameters_alone);
      trained.backward_kept(parameters, backward, SuppliedGradient{}, with_input);
      { engine.update_is_finite(update, arenas) } -> std::same_as<bool>;
      engine.for_each_part(std::size_t{}, [](int /*thread*/, std::size_t /*first*/, std::size_t /*count*/) {});
    };

/// In memory of its own: a dataset is copied there once, and evaluations and separate steps run without the host.
template <class E, class Model, class T, class Loss>
concept WorksOnDevice = requires(E& engine, const T* parameters, T* y, const AnyData<Model, T>& data, const Loss& loss,
                                 const TrainingBatch<AnyInputs<Model, T>, AnyTargets>& batch, std::size_t n,
                                 const UpdateStep<SGD>& update, const Arenas<T>& arenas) {
  E::kept_inputs(data, engine.keep(data));
  engine.predict(parameters, engine.keep(data), n, n, y, n);
  { engine.evaluate(parameters, engine.keep(data), loss, n).loss } -> std::convertible_to<double>;
  { engine.step(batch, loss, update, arenas) } -> std::same_as<typename E::StepLoss>;
  requires std::convertible_to<typename E::StepLoss, T>;
  { engine.ahead() } -> std::same_as<bool>;
  { engine.look().counts.steps } -> std::convertible_to<long>;
  { engine.side_by_side() } -> std::same_as<typename E::SideBySide>;
};

}  // namespace detail

/// Whether a class runs a model in the numbers T: what Network, Trainer, fit and evaluate require of
/// `EngineFor<..>::Type`, by the example of a loss that compares with labels.
template <class E, class Model, class T, class Loss>
concept EngineOf =
    detail::HasArrays<E, Model, T> && detail::Forwards<E, Model, T> && detail::Trains<E, Model, T, Loss> &&
    detail::MakesSteps<E, Model, T, Loss> &&
    ((KeepsData<E> && detail::WorksOnDevice<E, Model, T, Loss>) || (!KeepsData<E> && detail::WorksOnHost<E, Model, T>));

SINTER_NAMESPACE_END
