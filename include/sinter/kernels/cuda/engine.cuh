// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sinter/core/aligned.hpp"
#include "sinter/data/finite.hpp"
#include "sinter/device/cuda.cuh"
#include "sinter/device/engine.hpp"
#include "sinter/kernels/apply_optimizer.hpp"
#include "sinter/kernels/cuda/buffer.cuh"
#include "sinter/kernels/cuda/choose.hpp"
#include "sinter/kernels/cuda/infer.hpp"
#include "sinter/kernels/cuda/kept_data.cuh"
#include "sinter/kernels/cuda/launch.cuh"
#include "sinter/kernels/cuda/recording.cuh"
#include "sinter/kernels/cuda/update.hpp"

SINTER_NAMESPACE_BEGIN

/// Runs a model on a GPU. Parameters, gradients, the optimizer's state and what is kept of a dataset lie there; the host
/// launches kernels, and waits only where it is given numbers.
template <class Model, class T, CudaPlan Wanted = CudaPlan::automatic>
class CudaEngine {
  using Ops = Program<Model>;
  static constexpr int arena = Ops::arena_size, outputs = Ops::output.size(), inputs = Ops::input.size();

 public:
  using Device = CudaWith<Wanted>;
  template <class Number>
  using Array = CudaArray<Number>;

  /// Datasets are kept on the device, and many steps follow one another without the host.
  static constexpr bool keeps_data = true;

  static Array<T> zeros(const Cuda& device, std::size_t size) { return Array<T>(device, size); }
  static Array<T> to_device(const Cuda& device, const AlignedArray<T>& values) {
    require_cuda_device(device);
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

  explicit CudaEngine(const Cuda& device)
      : device_(device), shared_(require_cuda_device(device).shared_memory_per_block) {}
  int threads() const { return 1; }

  /// The plan for many training steps of a batch. Fails if the device has too little for the one that was asked for.
  template <int States>
  CudaPlan plan(std::size_t batch) const {
    using Choose = gpu::Choose<Model, T, States, Wanted>;
    const CudaPlan chosen = Choose::plan(static_cast<int>(batch), shared_);
    if (!Choose::fits(chosen, shared_)) fail_to_fit(chosen);
    return chosen;
  }

  // -- inference ------------------------------------------------------------------------------------------------------

  struct Workspace {
    Workspace(const Cuda& device, std::size_t most_rows) : engine(device) {
      engine.inputs_.template reserve<double>(most_rows * inputs);
      engine.outputs_.template reserve<T>(most_rows * outputs);
      engine.reserve_to_infer(most_rows);
    }
    CudaEngine engine;
  };
  template <class View>
  static void forward(const T* parameters, const BatchInputs<View>& batch_inputs, std::size_t batch,
                      Workspace& workspace, T* y) {
    if (batch == 0) return;
    CudaEngine& engine = workspace.engine;
    const CurrentCudaDevice current(engine.device_.device);
    const auto data = engine.template rows_of<std::int32_t>(batch_inputs, batch, nullptr);
    engine.infer(parameters, data, 0, batch, engine.outputs_.template reserve<T>(batch * outputs));
    engine.outputs_.download(y, batch * outputs);
  }

  /// The same where x lies on the device: y does too, valid until the workspace is used again. Nothing is waited for.
  template <class View>
  static const T* forward_there(const T* parameters, const BatchInputs<View>& batch_inputs, std::size_t batch,
                                Workspace& workspace) {
    CudaEngine& engine = workspace.engine;
    const CurrentCudaDevice current(engine.device_.device);
    T* y = engine.outputs_.template reserve<T>(batch * outputs);
    if (batch > 0)
      engine.infer(parameters, engine.template rows_of<std::int32_t>(batch_inputs, batch, nullptr), 0, batch, y);
    return y;
  }

  /// y [count][output] of rows [first, first + count) of what is kept.
  template <class Kept>
  void predict(const T* parameters, const Kept& kept, std::size_t first, std::size_t count, T* y) {
    const CurrentCudaDevice current(device_.device);
    infer(parameters, kept.template rows<T>(), first, count, outputs_.template reserve<T>(count * outputs));
    outputs_.download(y, count * outputs);
  }

  /// The sum of the losses over a dataset, and how many rows have their largest output at the label.
  struct Judgement {
    double loss;
    std::uint32_t right;
  };
  template <class Kept, class Loss>
  Judgement judge(const T* parameters, const Kept& kept, const Loss& loss) {
    const CurrentCudaDevice current(device_.device);
    using Target = typename std::remove_cvref_t<decltype(kept.targets)>::Value;
    constexpr std::size_t at_once = 16384;
    struct Totals {
      double loss = 0;
      std::uint32_t right = 0;
    } totals;
    Totals* on_device = report_.upload(&totals, 1);
    const std::size_t most = std::min(at_once, kept.size);
    T* y = outputs_.template reserve<T>(most * outputs);
    T* losses = losses_.template reserve<T>(most);
    std::uint32_t* right = flags_.template reserve<std::uint32_t>(most);
    constexpr bool classes = std::is_same_v<typename Loss::Target, ClassTarget>;
    constexpr int targets = classes ? 1 : outputs;
    for (std::size_t first = 0; first < kept.size; first += at_once) {
      const std::size_t count = std::min(at_once, kept.size - first);
      infer(parameters, kept.template rows<T>(), first, count, y);
      using Judge = gpu::JudgeRows<T, Target, Loss>;
      gpu::launch<Judge>(
          device_, {y, kept.targets.data() + first * targets, static_cast<int>(count), outputs, loss, losses, right},
          wide_blocks(count));
      using Sum = gpu::SumRows<T>;
      gpu::launch<Sum>(
          device_, {losses, classes ? right : nullptr, static_cast<int>(count), &on_device->loss, &on_device->right}, 1,
          Sum::memory);
    }
    report_.download(&totals, 1);
    return {totals.loss, totals.right};
  }

  // -- training, a batch at a time ------------------------------------------------------------------------------------

  /// As of every engine: the sum of the losses of the rows; the gradient of scale times that sum is added to `gradient`.
  template <class Loss, class View, class Targets, class InputGradient = std::nullptr_t>
  double accumulate(const T* parameters, const BatchInputs<View>& batch_inputs, std::size_t batch,
                    const BatchTargets<Targets>& targets, const std::uint32_t* samples, MaskKey key, T scale,
                    const Loss& loss, T* gradient, InputGradient input_gradient = nullptr) {
    constexpr bool with_input = !std::is_null_pointer_v<InputGradient>;
    using Element = std::remove_const_t<typename View::Value>;
    using Target = gpu::TargetOnDevice<T, Targets>;
    using Data = gpu::Rows<Element, Target, T>;
    const CurrentCudaDevice current(device_.device);
    const auto wanted = gpu::gather_targets<T>(targets, batch);
    gpu::StepInput<Data, Loss> step;
    step.data = rows_of<Target>(batch_inputs, batch, targets_.upload(wanted.data(), wanted.size()));
    step.samples = samples_.upload(samples, batch);
    const gpu::Epoch epoch{false, Permutation(1, 0, 0), key};
    step.epoch = epoch_.upload(&epoch, 1);
    step.loss = loss;
    T* to_input = with_input ? input_gradient_.template reserve<T>(batch * inputs) : nullptr;
    double* sum = report_.template reserve<double>(1);
    train<with_input>(device_, step, batch, scale, parameters, to_input, nullptr);
    combine(device_, gradient, T(1), sum, nullptr);
    double value = 0;
    report_.download(&value, 1);
    if constexpr (with_input) input_gradient_.download(static_cast<T*>(input_gradient), batch * inputs);
    return value;
  }

  /// Leaves `share` of a gradient.
  void scale(Array<T>& gradient, T share) {
    const CurrentCudaDevice current(device_.device);
    slots_used_ = 0;
    combine(device_, gradient.data(), share, report_.template reserve<double>(1), nullptr);
  }
  bool all_finite(const Array<T>& values) const {
    const AlignedArray<T> copy = to_host(values);
    return std::all_of(copy.data(), copy.data() + copy.size(), [](const T& x) { return is_finite(x); });
  }

  template <class Optimizer>
  void apply(const Optimizer& optimizer, long step, const std::vector<double>& factors, T* parameters,
             const T* gradient, T* state) {
    const CurrentCudaDevice current(device_.device);
    const std::uint8_t* group_of = upload_updates(optimizer, step, 1, factors);
    update<Optimizer>(device_, 0, group_of, groups(factors), parameters, gradient, state, nullptr, 0);
  }

  // -- training, many steps at a time ---------------------------------------------------------------------------------

  template <Dataset D>
  auto keep(const D& data) const {
    const CurrentCudaDevice current(device_.device);
    return gpu::keep_data<T>(device_, data);
  }

  /// How many steps may be asked for at once: with more, the host would hear nothing for too long.
  template <int States>
  std::size_t most_steps(std::size_t batch) const {
    return plan<States>(batch) == CudaPlan::resident ? 4096 : 256;
  }

  /// What came of some steps: how many were applied, and the sums of the losses of those and of the one that was not.
  struct Steps {
    std::span<const double> losses;
    std::size_t applied;
  };

  /// `count` steps from row `first` of an epoch's order on, into the next epochs. Waits for them once, at their end.
  template <class Kept, class Loss, class Optimizer>
  Steps steps(const Kept& kept, const EpochOrder& order, std::size_t first, std::size_t batch, std::size_t count,
              const Loss& loss, const Optimizer& optimizer, long step, const std::vector<double>& factors,
              T* parameters, T* gradient, T* state) {
    using Data = std::remove_cvref_t<decltype(kept.template rows<T>())>;
    const CurrentCudaDevice current(device_.device);
    const std::uint8_t* group_of = upload_updates(optimizer, step, count, factors);
    gpu::Status* status = status_.template reserve<gpu::Status>(1);
    const gpu::Status clean{};
    status_.upload(&clean, 1);
    double* losses = report_.template reserve<double>(count);

    gpu::StepInput<Data, Loss> input;
    input.data = kept.template rows<T>();
    const std::size_t done = first / batch, of_epoch = (kept.size + batch - 1) / batch;
    std::vector<gpu::Epoch> epochs;
    for (std::size_t e = 0; e * of_epoch < done + count; ++e) {
      const auto number = order.epoch + static_cast<std::uint32_t>(e);
      epochs.push_back({order.shuffle, Permutation(kept.size, order.seed, number), {order.seed, number}});
    }
    const gpu::Epoch* epochs_there = epoch_.upload(epochs.data(), epochs.size());
    input.epoch = epochs_there;
    input.loss = loss;
    const CudaPlan chosen = plan<Optimizer::states>(std::min(batch, kept.size));
    if (chosen == CudaPlan::resident) {
      using Choose = gpu::Choose<Model, T, Optimizer::states, Wanted>;
      if constexpr (Choose::resident_compiled) {
        using K = gpu::Resident<Model, T, Data, Loss, typename Optimizer::template Update<T>, Optimizer::states>;
        const auto fit = static_cast<std::size_t>(Choose::resident_rows(shared_));
        const int rows = static_cast<int>(std::min({fit, batch, kept.size}));
        const std::size_t bytes = K::Memory::bytes(rows);
        gpu::allow_shared_memory<K>(shared_);
        typename K::Args args{};
        args.step = input;
        args.done = static_cast<std::uint32_t>(done);
        args.of_epoch = static_cast<std::uint32_t>(of_epoch);
        args.size = static_cast<std::uint32_t>(kept.size);
        args.batch = static_cast<std::uint32_t>(batch);
        args.steps = static_cast<int>(count);
        args.rows = rows;
        args.updates = updates_.template reserve<typename Optimizer::template Update<T>>(0);
        args.groups = groups(factors);
        args.group_of = group_of;
        args.parameters = parameters;
        args.gradient = gradient;
        args.state = state;
        args.losses = losses;
        args.status = status;
        gpu::launch<K>(device_, args, 1, bytes);
      }
    } else {
      const auto launches = [&](const Cuda& on) {
        for (std::size_t i = 0; i < count; ++i) {
          const std::size_t begin = (done + i) % of_epoch * batch, rows = std::min(batch, kept.size - begin);
          input.first = static_cast<std::uint32_t>(begin);
          input.epoch = epochs_there + (done + i) / of_epoch;
          train<false>(on, input, rows, T(1) / static_cast<T>(rows), parameters, nullptr, status);
          combine(on, gradient, T(0), losses + i, status);
          update<Optimizer>(on, i, group_of, groups(factors), parameters, gradient, state, status, combine_blocks);
        }
      };
      using K = gpu::TrainTiles<Model, T, Data, Loss, false>;
      using Update = gpu::ApplyUpdate<typename Optimizer::template Update<T>, Optimizer::states>;
      const auto key = [&] {
        std::string rest;
        rest.append(reinterpret_cast<const char*>(&input.data.scale), sizeof(T));
        rest.append(reinterpret_cast<const char*>(&input.data.shift), sizeof(T));
        if constexpr (!std::is_empty_v<Loss>) rest.append(reinterpret_cast<const char*>(&loss), sizeof loss);
        return gpu::bytes_of(gpu::kernel_of<K>(), gpu::kernel_of<Update>(), input.data.inputs, input.data.targets,
                             parameters, gradient, state, group_of, first, batch, count, kept.size, factors.size(),
                             generations()) +
               rest;
      };
      recordings_.make(device_, key, launches);
    }
    step_losses_.resize(count);
    report_.download(step_losses_.data(), count);
    gpu::Status after;
    status_.download(&after, 1);
    const std::size_t applied = after.steps;
    return {std::span<const double>(step_losses_).first(std::min(count, applied + after.stopped)), applied};
  }

 private:
  static constexpr int combine_blocks = std::clamp(divide_up(arena, 256), 1, 132);
  [[noreturn]] SINTER_COLD void fail_to_fit(CudaPlan plan) const {
    fail(std::string("the plan ") + name_of(plan) + " of this network needs more than the " + std::to_string(shared_) +
         " bytes that a block has on CUDA device " + std::to_string(device_.device) +
         "; let Cuda choose, or take CudaWith<CudaPlan::layers>");
  }
  static int wide_blocks(std::size_t items) {
    return static_cast<int>(std::clamp<std::size_t>((items + 255) / 256, 1, 528));
  }
  static int groups(const std::vector<double>& factors) {
    return factors.empty() ? 1 : static_cast<int>(factors.size());
  }

  // What tiles in the device's memory may take. Inference has the same results with any; training adds up tile by tile.
  static constexpr std::size_t most_far_bytes = std::size_t{1} << 30, most_far_inference_bytes = std::size_t{32} << 20;
  static constexpr bool always_fits =
      gpu::TeamMemory<Model, T, false>::rows_in(gpu::Choose<Model, T, 0>::least_shared) >= 1;

  /// What `infer` needs for a batch, so that it need not ask for it.
  void reserve_to_infer(std::size_t batch) {
    using Memory = gpu::TeamMemory<Model, T, false>;
    if (!always_fits && Memory::rows_in(shared_) < 1)
      memory_.template reserve<std::byte>(
          Memory::bytes(Memory::rows_far(static_cast<int>(batch), most_far_inference_bytes)));
  }

  /// A batch in the memory of the device: sent there, unless that is where it lies.
  template <class Target, class View>
  auto rows_of(const BatchInputs<View>& from, std::size_t batch, const Target* targets) {
    using Element = std::remove_const_t<typename View::Value>;
    gpu::Rows<Element, Target, T> data{nullptr, targets, static_cast<T>(from.normalize.scale),
                                       static_cast<T>(from.normalize.shift)};
    if constexpr (gpu::on_device<View>) {
      gpu::require_contiguous(from.view);
      data.inputs = from.view.data;
    } else {
      const auto rows = gpu::gather_inputs(from.view, from.choice, batch);
      data.inputs = inputs_.upload(rows.data(), rows.size());
    }
    return data;
  }

  /// The outputs of rows [first, first + count).
  template <class Data>
  void infer(const T* parameters, const Data& data, std::size_t first, std::size_t count, T* y) {
    using Pass = gpu::Inference<Model, T, Data>;
    typename Pass::Args args{};
    args.step.data = data;
    args.step.first = static_cast<std::uint32_t>(first);
    args.batch = static_cast<int>(count);
    args.parameters = parameters;
    args.outputs = y;
    const int fit = Pass::Memory::rows_in(shared_);
    if (always_fits && fit < 1) fail_to_fit(CudaPlan::pair);
    if (always_fits || fit >= 1) {
      using K = gpu::InferTiles<Model, T, Data>;
      args.rows = std::min(fit, divide_up(args.batch, 4 * gpu::CostModel::blocks));
      const std::size_t bytes = Pass::Memory::bytes(args.rows);
      gpu::allow_shared_memory<K>(shared_);
      gpu::launch<K>(device_, args, divide_up(args.batch, args.rows), bytes);
    } else if constexpr (!always_fits) {
      args.rows = Pass::Memory::rows_far(args.batch, most_far_inference_bytes);
      args.memory = memory_.template reserve<std::byte>(Pass::Memory::bytes(args.rows));
      for (args.tile = 0; args.tile < divide_up(args.batch, args.rows); ++args.tile)
        launch_phases<gpu::InferPhase<Model, T, Data, 0>::count>(device_, args, args.rows, [](auto i) {
          return std::type_identity<gpu::InferPhase<Model, T, Data, decltype(i)::value>>{};
        });
    }
  }

  /// Changes when a buffer moves: launches hold their addresses.
  std::size_t generations() const {
    std::size_t all = 0;
    for (const gpu::Buffer* buffer :
         {&slots_, &slot_losses_, &memory_, &report_, &flags_, &status_, &updates_, &groups_, &epoch_})
      all += buffer->generation();
    return all;
  }

  /// Forward, loss and backward of a batch, to the gradient slots.
  template <bool WithInput, class Data, class Loss>
  void train(const Cuda& on, const gpu::StepInput<Data, Loss>& step, std::size_t batch, T scale, const T* parameters,
             T* to_input, const gpu::Status* status) {
    using Step = gpu::Training<Model, T, Data, Loss, WithInput>;
    typename Step::Args args{};
    args.step = step;
    args.scale = scale;
    args.parameters = parameters;
    args.to_input = to_input;
    args.status = status;
    const int rows = static_cast<int>(batch);
    using Choose = gpu::Choose<Model, T, 0, Wanted == CudaPlan::resident ? CudaPlan::automatic : Wanted>;
    const bool pair = Choose::plan_of_one(rows, shared_) == CudaPlan::pair;
    if (pair && !Choose::fits(CudaPlan::pair, shared_)) fail_to_fit(CudaPlan::pair);
    if (pair) {
      args.cut = gpu::Cut::of(rows, Choose::pair_rows(shared_), arena);
    } else {
      const int far = Step::Memory::rows_far(rows, most_far_bytes);
      args.cut = {rows, far, divide_up(rows, far), 1};
    }
    slots_used_ = args.cut.slots;
    args.slots = slots_.template reserve<T>(static_cast<std::size_t>(slots_used_) * static_cast<std::size_t>(arena));
    args.losses = slot_losses_.template reserve<double>(static_cast<std::size_t>(slots_used_));
    const std::size_t bytes = Step::Memory::bytes(args.cut.rows);
    if (pair) {
      using K = gpu::TrainTiles<Model, T, Data, Loss, WithInput>;
      gpu::allow_shared_memory<K>(shared_);
      gpu::launch<K>(on, args, slots_used_, bytes);
    } else if constexpr (Choose::layers_compiled) {
      args.memory = memory_.template reserve<std::byte>(bytes);
      for (args.tile = 0; args.tile < args.cut.tiles; ++args.tile)
        launch_phases<gpu::TrainPhase<Model, T, Data, Loss, WithInput, 0>::count>(on, args, args.cut.rows, [](auto i) {
          return std::type_identity<gpu::TrainPhase<Model, T, Data, Loss, WithInput, decltype(i)::value>>{};
        });
    }
  }
  template <int Count, class Args, class KernelOf>
  void launch_phases(const Cuda& on, const Args& args, int rows, KernelOf) {
    unroll<Count>([&](auto i) {
      using K = typename decltype(std::declval<KernelOf>()(i))::type;
      gpu::launch<K>(on, args,
                     wide_blocks(static_cast<std::size_t>(std::max(arena, gpu::Record<Model, true>::size)) *
                                 static_cast<std::size_t>(rows)));
    });
  }

  /// Adds the slots, and their losses, up.
  void combine(const Cuda& on, T* gradient, T share, double* loss, const gpu::Status* status) {
    std::uint32_t* bad = flags_.template reserve<std::uint32_t>(combine_blocks);
    gpu::launch<gpu::Combine<T>>(on,
                                 {slots_.template reserve<T>(0), slots_used_, arena, gradient, share,
                                  slot_losses_.template reserve<double>(0), loss, bad, status},
                                 combine_blocks);
  }

  /// The updates of some steps, [steps][groups], and which of its group each weight takes; null: the only one.
  template <class Optimizer>
  const std::uint8_t* upload_updates(const Optimizer& optimizer, long step, std::size_t count,
                                     const std::vector<double>& factors) {
    using Update = typename Optimizer::template Update<T>;
    std::vector<Update> updates;
    for (std::size_t i = 0; i < count; ++i) {
      const long at = step + static_cast<long>(i);
      if (factors.empty()) updates.push_back(optimizer.template at<T>(at));
      for (const double factor : factors) updates.push_back(with_rate_factor(optimizer, factor).template at<T>(at));
    }
    sent_updates_.assign(reinterpret_cast<const std::byte*>(updates.data()),
                         reinterpret_cast<const std::byte*>(updates.data() + updates.size()));
    updates_.upload(sent_updates_.data(), sent_updates_.size());
    if (factors.empty()) return nullptr;
    auto& group = sent_groups_;
    group.assign(static_cast<std::size_t>(arena), gpu::frozen);
    for (std::size_t i = 0; i < factors.size(); ++i)
      if (factors[i] != 0)
        std::fill_n(group.begin() + Ops::parameters[i].offset, Ops::parameters[i].size, static_cast<std::uint8_t>(i));
    return groups_.upload(group.data(), group.size());
  }
  template <class Optimizer>
  void update(const Cuda& on, std::size_t step, const std::uint8_t* group_of, int groups, T* parameters,
              const T* gradient, T* state, gpu::Status* status, int blocks) {
    using Update = typename Optimizer::template Update<T>;
    using K = gpu::ApplyUpdate<Update, Optimizer::states>;
    const Update* updates = updates_.template reserve<Update>(0) + step * static_cast<std::size_t>(groups);
    gpu::launch<K>(on,
                   {updates, group_of, arena, parameters, gradient, state,
                    flags_.template reserve<std::uint32_t>(combine_blocks), blocks, status},
                   wide_blocks(static_cast<std::size_t>(arena)));
  }

  static_assert(Ops::parameter_count < gpu::frozen, "sinter: a network on a GPU has at most 254 parameters");

  Cuda device_;
  std::size_t shared_;
  gpu::Buffer inputs_{device_}, targets_{device_}, samples_{device_}, outputs_{device_}, input_gradient_{device_};
  gpu::Buffer slots_{device_}, slot_losses_{device_}, memory_{device_};
  gpu::Buffer report_{device_}, losses_{device_}, flags_{device_}, status_{device_}, updates_{device_},
      groups_{device_}, epoch_{device_};
  int slots_used_ = 0;
  // What is on its way to the device must stay until it is there.
  std::vector<std::byte> sent_updates_;
  std::vector<std::uint8_t> sent_groups_;
  std::vector<double> step_losses_;
  gpu::Recordings recordings_;
};

template <class Model, class T, CudaPlan Plan>
struct EngineFor<Model, T, CudaWith<Plan>> {
  using Type = CudaEngine<Model, T, Plan>;
};

SINTER_NAMESPACE_END
