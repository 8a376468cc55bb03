// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "sinter/core/aligned.hpp"
#include "sinter/device/engine.hpp"
#include "sinter/kernels/cuda/ensemble_launcher.cuh"
#include "sinter/kernels/cuda/host_exchange.cuh"
#include "sinter/kernels/cuda/inference_launcher.cuh"
#include "sinter/kernels/cuda/kept_data.cuh"
#include "sinter/kernels/cuda/run_launcher.cuh"
#include "sinter/kernels/cuda/separate_steps.cuh"
#include "sinter/kernels/cuda/states_on_device.cuh"
#include "sinter/kernels/steps.hpp"

SINTER_NAMESPACE_BEGIN

/// Runs a model on a GPU. Parameters, gradients, the optimizer's state and kept datasets are in device memory; the host
/// launches kernels, and waits only where it receives numbers. A `Division` divides batches over several GPUs.
template <class Model, class T, CudaPlan Wanted = CudaPlan::automatic, class Division = gpu_kernels::WholeBatch,
          CudaProducts Products = CudaProducts::float32>
class CudaEngine {
  using Ops = Program<Model>;
  using Inference = gpu_kernels::InferenceLauncher<Model, T, Products>;
  static constexpr int outputs = Ops::output.size(), inputs = Ops::input.size();

 public:
  using Device = CudaWith<Wanted, Products>;
  template <class Number>
  using Array = CudaArray<Number>;

  /// Many steps in a row need no host.
  static constexpr bool keeps_data = true;
  using SideBySide = gpu_kernels::EnsembleLauncher<Model, T, Wanted>;

  static Array<T> zeros(const Cuda& device, std::size_t size) { return Array<T>(device, size); }
  static Array<T> to_device(const Cuda& device, const AlignedArray<T>& values) {
    check_cuda_device(device);
    Array<T> array(device, values.size());
    array.upload(values.data(), values.size());
    cuda_check(cudaStreamSynchronize(device.stream), "sending parameters to a CUDA device");
    return array;
  }
  static AlignedArray<T> to_host(const Array<T>& values) {
    AlignedArray<T> copy(values.size());
    values.download(copy.data(), copy.size());
    return copy;
  }

  explicit CudaEngine(const Cuda& device, Division division = {})
      : loaded_(gpu_kernels::Loaded::of<Model, T>(device)), step_(loaded_, std::move(division)) {}
  int threads() const { return 1; }
  SideBySide side_by_side() const { return SideBySide(loaded_); }

  // -- inference ------------------------------------------------------------------------------------------------------

  struct Workspace {
    Workspace(const Cuda& device, std::size_t most_rows)
        : engine(device), exchange(device, engine.inference_.writes_to_host() ? most_rows : 0, inputs, outputs) {
      engine.outputs_.template reserve<T>(most_rows * outputs);
      engine.inference_.reserve(most_rows);
      if (!exchange.template hold<double>(most_rows)) engine.inputs_.template reserve<double>(most_rows * inputs);
    }
    CudaEngine engine;
    gpu_kernels::HostExchange<T> exchange;
  };
  template <class View>
  static void forward(const T* parameters, const BatchInputs<View>& batch_inputs, std::size_t batch,
                      Workspace& workspace, T* y) {
    if (batch == 0) return;
    CudaEngine& engine = workspace.engine;
    const CurrentCudaDevice current(engine.device().device);
    if (workspace.exchange.template hold<std::remove_const_t<typename View::Value>>(batch))
      return answer(parameters, batch_inputs, batch, workspace, y);
    const auto data = engine.template rows_of<std::int32_t>(batch_inputs, batch, nullptr);
    engine.inference_.run(parameters, data, 0, batch, engine.outputs_.template reserve<T>(batch * outputs));
    engine.outputs_.download(y, batch * outputs);
  }

  /// The same for x on the device: y is too, and is valid until the workspace is used again. Does not wait.
  template <class View>
  static const T* forward_on_device(const T* parameters, const BatchInputs<View>& batch_inputs, std::size_t batch,
                                    Workspace& workspace) {
    CudaEngine& engine = workspace.engine;
    const CurrentCudaDevice current(engine.device().device);
    T* y = engine.outputs_.template reserve<T>(batch * outputs);
    if (batch > 0)
      engine.inference_.run(parameters, engine.template rows_of<std::int32_t>(batch_inputs, batch, nullptr), 0, batch,
                            y);
    return y;
  }

  /// y [count][output] of rows [first, first + count) of a kept dataset: sequences of `chunks` rows.
  template <class Kept>
  void predict(const T* parameters, const Kept& kept, std::size_t first, std::size_t count, T* y,
               std::size_t chunks = 1) {
    const CurrentCudaDevice current(device().device);
    inference_.run_kept(parameters, kept, first, count, chunks, outputs_.template reserve<T>(count * outputs));
    outputs_.download(y, count * outputs);
  }
  template <class Kept, class Loss>
  gpu_kernels::EvaluationSums evaluate(const T* parameters, const Kept& kept, const Loss& loss,
                                       std::size_t chunks = 1) {
    const CurrentCudaDevice current(device().device);
    return inference_.evaluate(parameters, kept, loss, chunks);
  }

  // -- training, a batch at a time ------------------------------------------------------------------------------------

  /// As of every engine: the sum of the losses of the rows; their gradient goes to `to`.
  template <class Loss, class View, class Given, class InputGradient>
  double accumulate(const T* parameters, const TrainingBatch<BatchInputs<View>, Given>& batch, const Loss& loss,
                    const GradientSum<T, InputGradient>& to) {
    constexpr bool with_input = !std::is_null_pointer_v<InputGradient>;
    constexpr bool weighed = HasRowWeights<Given>;
    const CurrentCudaDevice current(device().device);
    const auto rows = batch_.rows(batch.inputs, batch.rows, batch.targets);
    using Rows = std::remove_const_t<decltype(rows)>;
    using Data = typename std::conditional_t<weighed, gpu_kernels::Weighed<Rows>, std::type_identity<Rows>>::type;
    gpu_kernels::StepInput<Data, Loss> step;
    static_cast<Rows&>(step.data) = rows;
    if constexpr (weighed) {
      const auto weights = gpu_kernels::gather_weights<T>(batch.targets, batch.rows);
      step.data.weights = weights_.upload(weights.data(), weights.size());
    }
    step.samples = samples_.upload(batch.samples, batch.rows);
    const gpu_kernels::Epoch epoch{nullptr, batch.key};
    step.epoch = epoch_.upload(&epoch, 1);
    step.loss = loss;
    T* to_input = with_input ? input_gradient_.template reserve<T>(batch.rows * inputs) : nullptr;
    double* sum = loss_.template reserve<double>(1);
    step_.template train<with_input>(device(), step, {batch.rows, to.scale}, parameters, to_input,
                                     states_.begin_batch(batch.rows));
    step_.combine(to.gradient, to.fraction, sum);
    step_.follow_statistics();
    double value = 0;
    loss_.download(&value, 1);
    if constexpr (heads_of_loss<Loss> > 0)
      if (to.losses_of_heads != nullptr) step_.sum_heads(to.losses_of_heads, heads_of_loss<Loss>);
    if constexpr (with_input) input_gradient_.download(static_cast<T*>(to.input_gradient), batch.rows * inputs);
    return value;
  }

  /// As RunningStatistics of the host's engines.
  struct Statistics {
    CudaEngine& engine;
    void drop() { engine.step_.drop_statistics(); }
    void keep(T* network) {
      const CurrentCudaDevice current(engine.device().device);
      engine.step_.keep_statistics(network);
    }
  };
  Statistics statistics() { return {*this}; }

  /// The states that recurrences begin a batch with.
  auto& carried()
    requires(!Division::divides)
  {
    return states_;
  }

  /// Scales a gradient by `fraction`.
  void scale(Array<T>& gradient, T fraction) {
    const CurrentCudaDevice current(device().device);
    step_.scale(gradient.data(), fraction, loss_.template reserve<double>(1));
  }
  /// Whether the gradient is finite, as checked by the kernel that made it.
  bool all_finite(const Array<T>&) const { return step_.all_finite(); }
  template <class Optimizer>
  void apply(const UpdateStep<Optimizer>& update, const Arenas<T>& arenas) {
    const CurrentCudaDevice current(device().device);
    std::vector<typename Optimizer::template Update<T>> numbers;
    gpu_kernels::Updates<Ops>::add(numbers, update, 1);
    updates_.upload(numbers, update.factors);
    step_.template update<Optimizer>(updates_, arenas);
  }

  // -- training, a step at a time, without waiting for it -------------------------------------------------------------

  using StepLoss = gpu_kernels::StepLoss<Model, T, Wanted>;
  /// A whole step. The update contains the number of updates made, and the key of the masks the number of steps tried,
  /// both as far as the host knows.
  template <class Loss, class View, class Targets, class Optimizer>
  StepLoss step(const TrainingBatch<BatchInputs<View>, BatchTargets<Targets>>& batch, const Loss& loss,
                const UpdateStep<Optimizer>& update, const Arenas<T>& arenas) {
    const CurrentCudaDevice current(device().device);
    return {separate_, separate_.launch(step_, states_, batch, loss, update, arenas), batch.rows};
  }
  /// Whether such steps were made since the last `look`.
  bool ahead() const { return separate_.ahead(); }
  auto look() { return separate_.look(); }

  // -- training, many steps at a time ---------------------------------------------------------------------------------

  template <Dataset D>
  auto keep(const D& data, bool to_learn = false) const {
    const CurrentCudaDevice current(device().device);
    return gpu_kernels::keep_data<T>(device(), data, outputs, to_learn);
  }
  template <Dataset D, class Kept>
  static auto kept_inputs(const D& data, const Kept& kept) {
    return gpu_kernels::inputs_on_device(data, kept);
  }
  template <int States>
  std::size_t most_steps(std::size_t batch) const {
    return run_.template most_steps<States>(batch);
  }
  template <class Kept, class Loss, class Optimizer>
  StepsDone steps(const Kept& kept, const StepsWanted& wanted, const Loss& loss, const UpdateStep<Optimizer>& update,
                  const Arenas<T>& arenas) {
    const CurrentCudaDevice current(device().device);
    return run_.run(step_, states_, kept, wanted, loss, update, arenas);
  }

 private:
  /// A few rows, without a copy by CUDA and without waiting for its stream.
  template <class View>
  static void answer(const T* parameters, const BatchInputs<View>& from, std::size_t batch, Workspace& workspace,
                     T* y) {
    using Element = std::remove_const_t<typename View::Value>;
    gpu_kernels::HostExchange<T>& exchange = workspace.exchange;
    Element* rows = exchange.template rows<Element>();
    for (std::size_t i = 0; i < batch; ++i) copy_row(from.view, from.choice[i], rows + i * inputs);
    const gpu_kernels::Rows<Element, std::int32_t, T> data{rows, nullptr, static_cast<T>(from.normalize.scale),
                                                           static_cast<T>(from.normalize.shift)};
    exchange.wait(workspace.engine.inference_.run(parameters, data, 0, batch, exchange.outputs(), exchange.request()));
    std::copy_n(exchange.outputs(), batch * outputs, y);
  }

  const Cuda& device() const { return loaded_.device; }

  /// A batch in device memory: copied, unless it is already there.
  template <class Target, class View>
  auto rows_of(const BatchInputs<View>& from, std::size_t batch, const Target* targets) {
    using Element = std::remove_const_t<typename View::Value>;
    gpu_kernels::Rows<Element, Target, T> data{nullptr, targets, static_cast<T>(from.normalize.scale),
                                               static_cast<T>(from.normalize.shift)};
    if constexpr (gpu_kernels::on_device<View>) {
      gpu_kernels::require_contiguous(from.view);
      data.inputs = from.view.data;
    } else {
      const auto rows = gpu_kernels::gather_inputs(from.view, from.choice, batch);
      data.inputs = inputs_.upload(rows.data(), rows.size());
    }
    return data;
  }

  gpu_kernels::Loaded loaded_;
  Inference inference_{loaded_};
  gpu_kernels::StepLauncher<Model, T, Wanted, Division, Products> step_;
  gpu_kernels::RunLauncher<Model, T, Wanted> run_{loaded_};
  gpu_kernels::SeparateSteps<Model, T, Wanted> separate_{loaded_};
  gpu_kernels::StatesOnDevice<Model, T> states_{device()};
  gpu_kernels::BatchOnDevice<Model, T> batch_{device()};
  gpu_kernels::Updates<Ops> updates_{device()};
  gpu_kernels::Buffer inputs_{device()}, outputs_{device()}, samples_{device()}, epoch_{device()},
      input_gradient_{device()}, loss_{device()}, weights_{device()};
};

template <class Model, class T, CudaPlan Plan, CudaProducts Products>
struct EngineFor<Model, T, CudaWith<Plan, Products>> {
  using Type = CudaEngine<Model, T, Plan, gpu_kernels::WholeBatch, Products>;
};

SINTER_NAMESPACE_END
