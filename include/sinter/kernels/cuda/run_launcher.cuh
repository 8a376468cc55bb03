// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "sinter/device/engine.hpp"
#include "sinter/kernels/cuda/recording.cuh"
#include "sinter/kernels/cuda/step_launcher.cuh"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// What came of some steps: how many were applied, and the sums of the losses of those and of the one that was not.
struct StepsDone {
  std::span<const double> losses;
  std::size_t applied;
};

/// The network that is trained, on the device.
template <class T>
struct Weights {
  T *parameters, *gradient, *state;
};

/// Some steps, of what is kept.
template <class Model, class T, CudaPlan Wanted, class Kept, class Loss, class Optimizer>
struct Run {
  using Data = std::remove_cvref_t<decltype(std::declval<const Kept&>().template rows<T>())>;
  using Update = typename Optimizer::template Update<T>;
  static constexpr int states = Optimizer::states;
  using Kernel = TrainTiles<Model, T, Data, Loss, false>;
  using Rules = Optimizer;

  StepLauncher<Model, T, Wanted>& step;
  const Kept& kept;
  std::size_t batch, count;
  std::size_t size;            // rows of an epoch
  std::size_t done, of_epoch;  // steps of the first epoch that are done, and that it has
  Weights<T> weights;
  const std::uint8_t* group_of = nullptr;
  Status* status = nullptr;
  double* losses = nullptr;
  StepInput<Data, Loss> input{};
};

/// Launches many training steps on a dataset that is kept on the device, and waits once, at their end.
template <class Model, class T, CudaPlan Wanted>
class RunLauncher {
 public:
  explicit RunLauncher(const Loaded& loaded) : loaded_(loaded) {}

  /// The plan for a batch. Fails if the device has too little for the one that was asked for.
  template <int States>
  CudaPlan plan(std::size_t batch) const {
    using Choose = gpu_kernels::Choose<Model, T, States, Wanted>;
    const CudaPlan chosen = Choose::plan(static_cast<int>(batch), loaded_.shared);
    if (!Choose::fits(chosen, loaded_.shared)) loaded_.fail_to_fit(chosen);
    return chosen;
  }
  /// How many steps may be asked for at once: with more, the host would hear nothing for too long.
  template <int States>
  std::size_t most_steps(std::size_t batch) const {
    return plan<States>(batch) == CudaPlan::resident ? 4096 : 256;
  }

  /// `count` steps from row `first` of an epoch's order on, into the next epochs, launched by `step`.
  template <class Kept, class Loss, class Optimizer>
  StepsDone run(StepLauncher<Model, T, Wanted>& step, const Kept& kept, const EpochOrder& order, std::size_t first,
                std::size_t batch, std::size_t count, const Loss& loss, const Optimizer& optimizer, long number,
                const std::vector<double>& factors, const Weights<T>& weights) {
    const std::size_t size = kept.size - order.held_out.count;
    const bool resident = plan<Optimizer::states>(std::min(batch, size)) == CudaPlan::resident;
    Run<Model, T, Wanted, Kept, Loss, Optimizer> run{
        step, kept, batch, count, size, first / batch, (size + batch - 1) / batch, weights};
    run.group_of =
        step.upload_updates(optimizer, number, resident ? changes<Optimizer>(number, count) : count, factors);
    const Status clean{};
    run.status = status_.upload(&clean, 1);
    run.losses = losses_.template reserve<double>(count);
    run.input.data = kept.template rows<T>();
    run.input.epoch = upload_epochs(run.done + count, run.of_epoch, size, order);
    run.input.loss = loss;

    if (resident)
      launch_resident(run, changes<Optimizer>(number, count));
    else
      recordings_.make(
          loaded_.device, [&] { return key_of(run, first, factors.size()); },
          [&](const Cuda& on) { launch_steps(on, run); });

    done_losses_.resize(count);
    losses_.download(done_losses_.data(), count);
    Status after;
    status_.download(&after, 1);
    const std::size_t applied = after.steps;
    return {std::span<const double>(done_losses_).first(std::min(count, applied + after.stopped)), applied};
  }

 private:
  const Epoch* upload_epochs(std::size_t steps, std::size_t of_epoch, std::size_t size, const EpochOrder& order) {
    std::vector<Epoch> epochs;
    for (std::size_t e = 0; e * of_epoch < steps; ++e) {
      const auto number = order.epoch + static_cast<std::uint32_t>(e);
      epochs.push_back({order.shuffle, Permutation(size, order.seed, number), {order.seed, number}, order.held_out});
    }
    return epochs_.upload(epochs.data(), epochs.size());
  }

  template <class Run>
  void launch_resident(const Run& run, std::size_t changes) {
    using Choose = gpu_kernels::Choose<Model, T, Run::states, Wanted>;
    if constexpr (Choose::resident_compiled) {
      using K = Resident<Model, T, typename Run::Data, decltype(run.input.loss), typename Run::Update, Run::states>;
      const auto& [parameters, gradient, state] = run.weights;
      const int rows = Choose::resident_cut(static_cast<int>(std::min(run.batch, run.size)), loaded_.shared);
      const typename K::Member member{static_cast<std::uint32_t>(run.size),
                                      static_cast<std::uint32_t>(run.done),
                                      static_cast<std::uint32_t>(run.of_epoch),
                                      static_cast<std::uint32_t>(run.count),
                                      rows,
                                      run.input.epoch,
                                      run.step.template updates<typename Run::Update>(),
                                      static_cast<std::uint32_t>(changes),
                                      parameters,
                                      gradient,
                                      state,
                                      run.losses,
                                      run.status};
      typename K::Args args{};
      args.step = run.input;
      args.batch = static_cast<std::uint32_t>(std::min(run.batch, run.size));
      args.groups = run.step.groups();
      args.group_of = run.group_of;
      args.members = members_.upload(&member, 1);
      launch<K>(loaded_.device, args, 1, K::Memory::bytes(rows), loaded_.shared);
    }
  }

  template <class Run>
  void launch_steps(const Cuda& on, const Run& run) {
    for (std::size_t i = 0; i < run.count; ++i) {
      const std::size_t place = run.done + i, begin = place % run.of_epoch * run.batch,
                        rows = std::min(run.batch, run.size - begin);
      auto input = run.input;
      input.first = static_cast<std::uint32_t>(begin);
      input.epoch += place / run.of_epoch;
      const auto& [parameters, gradient, state] = run.weights;
      run.step.template train<false>(on, input, rows, T(1) / static_cast<T>(rows), parameters, nullptr, run.status);
      run.step.combine(on, gradient, T(0), run.losses + i, run.status);
      run.step.template update<typename Run::Rules>(on, i, run.group_of, parameters, gradient, state, run.status);
    }
  }
  /// All that tells the launches of these steps from others.
  template <class Run>
  std::string key_of(const Run& run, std::size_t first, std::size_t groups) const {
    using Update = ApplyUpdate<typename Run::Update, Run::states>;
    const auto& data = run.input.data;
    const auto& loss = run.input.loss;
    const auto& [parameters, gradient, state] = run.weights;
    std::string key =
        bytes_of(kernel_of<typename Run::Kernel>(), kernel_of<Update>(), data.inputs, data.targets, parameters,
                 gradient, state, run.group_of, first, run.batch, run.count, run.size, groups,
                 run.step.generations() + status_.generation() + losses_.generation() + epochs_.generation());
    key.append(reinterpret_cast<const char*>(&data.scale), sizeof(T));
    key.append(reinterpret_cast<const char*>(&data.shift), sizeof(T));
    if constexpr (!std::is_empty_v<std::remove_cvref_t<decltype(loss)>>)
      key.append(reinterpret_cast<const char*>(&loss), sizeof loss);
    return key;
  }

  Loaded loaded_;
  Buffer status_{loaded_.device}, losses_{loaded_.device}, epochs_{loaded_.device}, members_{loaded_.device};
  std::vector<double> done_losses_;
  Recordings recordings_;
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
