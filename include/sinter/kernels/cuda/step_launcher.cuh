// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "sinter/kernels/apply_optimizer.hpp"
#include "sinter/kernels/cuda/buffer.cuh"
#include "sinter/kernels/cuda/choose.hpp"
#include "sinter/kernels/cuda/launch_phases.cuh"
#include "sinter/kernels/cuda/update.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// Launches the parts of one training step: gradient slots of a batch, their sum, the update.
template <class Model, class T, CudaPlan Wanted>
class StepLauncher {
  using Ops = Program<Model>;
  static constexpr int arena = Ops::arena_size;

 public:
  explicit StepLauncher(const Loaded& loaded) : loaded_(loaded) {}

  /// Forward, loss and backward of a batch, to the gradient slots.
  template <bool WithInput, class Data, class Loss>
  void train(const Cuda& on, const StepInput<Data, Loss>& step, std::size_t batch, T scale, const T* parameters,
             T* to_input, const Status* status) {
    using Near = Training<Model, T, Data, Loss, WithInput, Expected::tile>;
    using Far = Training<Model, T, Data, Loss, WithInput, Expected::grid>;
    typename Near::Args args{};
    args.step = step;
    args.scale = scale;
    args.parameters = parameters;
    args.to_input = to_input;
    args.status = status;
    const int rows = static_cast<int>(batch);
    using Choose = gpu_kernels::Choose<Model, T, 0, Wanted == CudaPlan::resident ? CudaPlan::automatic : Wanted>;
    const bool pair = Choose::plan_of_one(rows, loaded_.shared) == CudaPlan::pair;
    if (pair && !Choose::fits(CudaPlan::pair, loaded_.shared)) loaded_.fail_to_fit(CudaPlan::pair);
    if (pair) {
      args.cut = Choose::pair_cut(rows, loaded_.shared);
    } else {
      const int far = Far::Memory::rows_far(rows, most_far_bytes);
      args.cut = {rows, far, divide_up(rows, far), 1};
    }
    slots_used_ = args.cut.slots;
    args.slots = slots_.template reserve<T>(static_cast<std::size_t>(slots_used_) * static_cast<std::size_t>(arena));
    args.losses = losses_.template reserve<double>(static_cast<std::size_t>(slots_used_));
    if (pair) {
      using K = TrainTiles<Model, T, Data, Loss, WithInput>;
      launch<K>(on, args, slots_used_, Near::Memory::bytes(args.cut.rows), loaded_.shared);
    } else if constexpr (Choose::layers_compiled) {
      args.memory = memory_.template reserve<std::byte>(Far::Memory::bytes(args.cut.rows));
      for (args.tile = 0; args.tile < args.cut.tiles; ++args.tile)
        launch_phases<Model, TrainPhase<Model, T, Data, Loss, WithInput, 0>::count>(
            on, args, args.cut.rows, [](auto i) {
              return std::type_identity<TrainPhase<Model, T, Data, Loss, WithInput, decltype(i)::value>>{};
            });
    }
  }

  /// gradient = share * gradient + the sum of the slots; *loss = the sum of their losses.
  void combine(const Cuda& on, T* gradient, T share, double* loss, const Status* status) {
    combine(on, slots_used_, gradient, share, loss, status);
  }
  /// gradient *= share.
  void scale(T* gradient, T share, double* nothing) { combine(loaded_.device, 0, gradient, share, nothing, nullptr); }

  /// What the updates of some steps take: [steps][groups], and the group of each weight. Null: the only one.
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
    groups_ = factors.empty() ? 1 : static_cast<int>(factors.size());
    if (factors.empty()) return nullptr;
    sent_group_of_.assign(static_cast<std::size_t>(arena), frozen);
    for (std::size_t i = 0; i < factors.size(); ++i)
      if (factors[i] != 0)
        std::fill_n(sent_group_of_.begin() + Ops::parameters[i].offset, Ops::parameters[i].size,
                    static_cast<std::uint8_t>(i));
    return group_of_.upload(sent_group_of_.data(), sent_group_of_.size());
  }
  template <class Update>
  const Update* updates() {
    return updates_.template reserve<Update>(0);
  }
  int groups() const { return groups_; }

  /// The update of step `step` of those that were uploaded. With a status it is left out where the sum of the slots
  /// found something that is not finite.
  template <class Optimizer>
  void update(const Cuda& on, std::size_t step, const std::uint8_t* group_of, T* parameters, const T* gradient,
              T* state, Status* status) {
    using Update = typename Optimizer::template Update<T>;
    launch<ApplyUpdate<Update, Optimizer::states>>(
        on,
        {updates<Update>() + step * static_cast<std::size_t>(groups_), group_of, arena, parameters, gradient, state,
         bad_.template reserve<std::uint32_t>(combine_blocks), status == nullptr ? 0 : combine_blocks, status},
        wide_blocks(static_cast<std::size_t>(arena)));
  }

  /// Changes when a buffer moves: recorded launches hold their addresses.
  std::size_t generations() const {
    std::size_t all = 0;
    for (const Buffer* buffer : {&slots_, &losses_, &memory_, &bad_, &updates_, &group_of_})
      all += buffer->generation();
    return all;
  }

 private:
  static constexpr int combine_blocks = Combine<T>::blocks_for(arena);
  // What a tile in the device's memory may take; gradients are added up tile by tile.
  static constexpr std::size_t most_far_bytes = std::size_t{1} << 30;
  static_assert(Ops::parameter_count < frozen, "sinter: a network on a GPU has at most 254 parameters");

  void combine(const Cuda& on, int slots, T* gradient, T share, double* loss, const Status* status) {
    launch<Combine<T>>(
        on,
        {slots_.template reserve<T>(0), slots, arena, gradient, share, losses_.template reserve<double>(0), loss,
         bad_.template reserve<std::uint32_t>(combine_blocks), combine_blocks, status},
        combine_blocks, Combine<T>::memory);
  }

  Loaded loaded_;
  Buffer slots_{loaded_.device}, losses_{loaded_.device}, memory_{loaded_.device}, bad_{loaded_.device},
      updates_{loaded_.device}, group_of_{loaded_.device};
  int slots_used_ = 0, groups_ = 1;
  // What is on its way to the device must stay until it is there.
  std::vector<std::byte> sent_updates_;
  std::vector<std::uint8_t> sent_group_of_;
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
