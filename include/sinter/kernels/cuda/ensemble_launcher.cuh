// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "sinter/kernels/cuda/buffer.cuh"
#include "sinter/kernels/cuda/resident_launcher.cuh"
#include "sinter/kernels/gpu/evaluate.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// Trains and evaluates many networks of one model at once: a launch has a resident block for each of them.
template <class Model, class T, CudaPlan Wanted>
class EnsembleLauncher {
  using Resident = ResidentLauncher<Model, T, Wanted>;

 public:
  static constexpr std::size_t most_steps = Resident::most_steps;
  /// Steps of a launch, for this many networks with this many rows each.
  static std::size_t most_epochs(std::size_t networks, std::size_t rows) {
    return std::clamp(Orders::most_numbers / std::max(networks * rows, std::size_t{1}), std::size_t{1},
                      Resident::most_epochs);
  }

  explicit EnsembleLauncher(const Loaded& loaded) : loaded_(loaded) {}

  /// Whether this many networks are trained at once: otherwise they are faster in sequence, or do not fit.
  template <int States>
  bool side_by_side(std::size_t batch, std::size_t networks) const {
    using Choose = gpu_kernels::Choose<Model, T, States, Wanted>;
    const int rows = static_cast<int>(batch), waves = divide_up(static_cast<int>(networks), CostModel::blocks);
    if (!Choose::resident_compiled || !Choose::fits(CudaPlan::resident, loaded_.shared)) return false;
    if (Wanted == CudaPlan::resident) return true;
    return Choose::cost(CudaPlan::resident, rows, loaded_.shared) * waves <
           Choose::cost(Choose::plan_of_one(rows, loaded_.shared), rows, loaded_.shared) *
               static_cast<double>(networks);
  }

  /// Some steps of each member, at most `most_steps` of `most_epochs`, and their outcome. `state`
  /// [members][states][arena] is the optimizers'.
  template <class Kept, class Loss, class Optimizer>
  const std::vector<StepsDone>& run(const Kept& kept, std::size_t batch, const Loss& loss,
                                    std::span<const MemberSteps<T, Optimizer>> members, T* state) {
    return resident_.run(kept, batch, loss, members, state);
  }

  /// Evaluates each network on its rows of a kept dataset.
  template <class Kept, class Loss>
  std::vector<EvaluationSums> evaluate(const Kept& kept, const Loss& loss, std::span<const EvaluatedRows<T>> networks) {
    using Data = std::remove_cvref_t<decltype(kept.template rows<T>())>;
    using K = EvaluateNetworks<Model, T, Data, Loss>;
    const CurrentCudaDevice current(loaded_.device.device);
    typename K::Args args{};
    args.step.data = kept.template rows<T>();
    args.step.loss = loss;
    args.networks = evaluated_.upload(networks.data(), networks.size());
    args.evaluations = evaluations_.template reserve<EvaluationSums>(networks.size());
    loaded_.template launch<K>(loaded_.device, args, static_cast<int>(networks.size()),
                               EvaluationMemory<Model, T>::bytes);
    std::vector<EvaluationSums> all(networks.size());
    evaluations_.download(all.data(), all.size());
    return all;
  }
  /// Whether evaluating this many networks at once is faster than in sequence by the whole GPU.
  bool evaluates_side_by_side(std::size_t networks, std::size_t rows) const {
    using Choose = gpu_kernels::Choose<Model, T, 0, CudaPlan::automatic>;
    const double one = Choose::operations_per_row / 3 * static_cast<double>(rows) / CostModel::resident_rate;
    const double waves = divide_up(static_cast<int>(networks), CostModel::blocks);
    constexpr double launches = 10 * CostModel::launch;  // and the host's work for each
    return EvaluationMemory<Model, T>::bytes <= loaded_.shared &&
           one * waves < static_cast<double>(networks) * (one / CostModel::blocks + launches);
  }

 private:
  Loaded loaded_;
  Resident resident_{loaded_};
  Buffer evaluated_{loaded_.device}, evaluations_{loaded_.device};
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
