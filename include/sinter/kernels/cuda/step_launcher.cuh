// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "sinter/kernels/cuda/buffer.cuh"
#include "sinter/kernels/cuda/launch_phases.cuh"
#include "sinter/kernels/cuda/updates.cuh"
#include "sinter/kernels/cuda/whole_batch.cuh"
#include "sinter/kernels/gpu/choose.hpp"
#include "sinter/kernels/step_arguments.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// How a step learns on the device which one it is, and where it records its outcome.
struct Counter {
  StepStatus* status = nullptr;  // null: the only step, with no record
  const Changes* changes = nullptr;
  const StepRange* range = nullptr;  // null: each step has the same rows
  Epoch* epoch = nullptr;            // whose masks are keyed by the steps tried, or null
  double* losses = nullptr;          // [kept_losses][1 + heads]
  std::uint32_t kept_losses = 1;
  bool stops = false;  // where something is not finite
};

/// The rows of a step, `last` in the last one of a range, and what its gradient is multiplied by: 0 if that follows
/// from the range.
template <class T>
struct RowsOfStep {
  std::size_t count;
  T scale;
  std::size_t last = 0;
};

/// Launches the parts of one training step: gradient slots of a batch, then their sum and the update. If a `Division`
/// divides the batch, the host must know which rows a step has: it gives no `last`.
template <class Model, class T, CudaPlan Wanted, class Division = WholeBatch,
          CudaProducts Products = CudaProducts::float32>
class StepLauncher {
  using Ops = Program<Model>;
  using Choose = gpu_kernels::Choose<Model, T, 0, Wanted == CudaPlan::resident ? CudaPlan::automatic : Wanted>;
  static constexpr int arena = Ops::arena_size, buffers = Ops::storage_size - Ops::arena_size;

 public:
  static constexpr bool divides = Division::divides;

  explicit StepLauncher(const Loaded& loaded, Division division = {})
      : loaded_(loaded), division_(std::move(division)) {}

  /// Forward, loss and backward of a batch, to the gradient slots. With a range, `carried` is that of the first step of
  /// a sequence.
  template <bool WithInput, class Data, class Loss>
  void train(const Cuda& on, const StepInput<Data, Loss>& step, const RowsOfStep<T>& batch, const T* parameters,
             T* to_input, const Carried<T>& carried, const Counter& counter = {}) {
    using Near = Training<Model, T, Data, Loss, WithInput, Expected::tile>;
    using Far = Training<Model, T, Data, Loss, WithInput, Expected::grid, Products>;
    typename Near::Args args{};
    args.step = step;
    args.scale = batch.scale;
    args.parameters = parameters;
    args.to_input = to_input;
    args.carried = carried;
    args.status = counter.status;
    args.range = counter.range;
    if constexpr (buffers > 0) {
      args.statistics = statistics_.template reserve<T>(buffers);
      args.follows = counter.status == nullptr && followed_;
    }
    const int rows = static_cast<int>(batch.count), rest = static_cast<int>(batch.last);
    const bool pair = Choose::plan_of_one(rows, loaded_.shared) == CudaPlan::pair;
    if (pair && !Choose::fits(CudaPlan::pair, loaded_.shared)) loaded_.fail_to_fit(CudaPlan::pair);
    const auto cut = [&](int some) {
      if (pair) return Choose::pair_cut(some, loaded_.shared);
      const int fit = Stages<Model>::of_batch ? some : Far::Memory::rows_far(some, most_far_bytes);
      return Cut{some, fit, divide_up(some, fit), 1};
    };
    args.cut = cut(rows);
    args.last_cut = rest > 0 ? cut(rest) : args.cut;
    slots_used_ = args.cut.slot_count;
    last_slots_used_ = args.last_cut.slot_count;
    const int most = std::max(slots_used_, last_slots_used_);
    args.slot_gradients = slots_.template reserve<T>(static_cast<std::size_t>(most) * static_cast<std::size_t>(arena));
    args.losses = losses_.template reserve<double>(heads_of_loss<Loss> > 0 ? loss_sums<Loss> * Cut::most_slots
                                                                           : static_cast<std::size_t>(most));
    large_.template reserve<std::uint32_t>(static_cast<std::size_t>(std::max(most, looking_blocks)));
    flags_ = 0;
    if (pair) {
      using K = TrainTiles<Model, T, Data, Loss, WithInput>;
      args.large = large_.template reserve<std::uint32_t>(0);
      const SlotRange own = division_.slot_range(most);
      args.first_slot = own.first;
      loaded_.template launch<K>(on, args, std::max(own.count(), 1),  // one notes which step it is
                                 Near::Memory::bytes(std::max(args.cut.rows, args.last_cut.rows)));
      if constexpr (divides)
        division_.share_slots(args.cut, args.slot_gradients, arena, args.losses, loss_sums<Loss>, args.large, to_input,
                              Ops::input.size());
    } else if constexpr (Choose::layers_compiled) {
      args.memory = memory_.template reserve<std::byte>(Far::Memory::bytes(args.cut.rows));
      for (args.tile = 0; args.tile < args.cut.tiles; ++args.tile)
        launch_phases<Model, TrainPhase<Model, T, Data, Loss, WithInput, 0, Products>::count>(
            loaded_, on, args, args.cut.rows, [](auto i) {
              return std::type_identity<TrainPhase<Model, T, Data, Loss, WithInput, decltype(i)::value, Products>>{};
            });
    }
    if (!pair && counter.status != nullptr) {
      flags_ = looking_blocks;
      loaded_.template launch_next<LookAtSlot<T>>(
          on, {args.slot_gradients, arena, args.losses, large_.template reserve<std::uint32_t>(0)}, flags_);
    }
  }

  /// The buffers after a batch, until the step is known to be sound, as in the host's RunningStatistics.
  void drop_statistics() { followed_ = false; }
  void follow_statistics() { followed_ = true; }
  void keep_statistics(T* network) {
    if (buffers == 0 || !followed_) return;
    cuda_check(cudaMemcpyAsync(network + arena, statistics_.template reserve<T>(0), sizeof(T) * buffers,
                               cudaMemcpyDeviceToDevice, loaded_.device.stream),
               "keeping the running statistics");
    followed_ = false;
  }

  /// gradient = fraction * gradient + the sum of the slots; *loss = the sum of their losses.
  void combine(T* gradient, T fraction, double* loss) {
    gradient_flags_ = division_.ranks() * combine_blocks;
    std::uint32_t* flags = bad_.template reserve<std::uint32_t>(static_cast<std::size_t>(gradient_flags_));
    combine(division_.own_numbers(slot_sums(slots_used_)), gradient + division_.first_number(arena), fraction, loss,
            flags + division_.rank() * combine_blocks);
    division_.share_numbers(gradient, arena, flags, combine_blocks);
  }
  /// The sums of the losses of each head, for the batch that was combined last.
  void sum_heads(double* sums, std::size_t heads) const {
    std::vector<double> kept((1 + heads) * Cut::most_slots);
    losses_.download(kept.data(), kept.size());
    for (std::size_t h = 0; h < heads; ++h) {
      const double* of_head = kept.data() + (1 + h) * Cut::most_slots;
      sums[h] = std::accumulate(of_head, of_head + slots_used_, 0.0);
    }
  }
  /// gradient *= fraction.
  void scale(T* gradient, T fraction, double* nothing) {
    gradient_flags_ = combine_blocks;
    combine(slot_sums(0), gradient, fraction, nothing, bad_.template reserve<std::uint32_t>(combine_blocks));
  }
  /// Whether the kernel that made the gradient last found it finite; waits for it.
  bool all_finite() const {
    std::vector<std::uint32_t> bad(static_cast<std::size_t>(gradient_flags_));
    bad_.download(bad.data(), bad.size());
    return std::all_of(bad.begin(), bad.end(), [](std::uint32_t b) { return b == 0; });
  }

  /// The gradient of the batch given to `train`, and the update that the counter selects. `heads` is the number of the
  /// loss's heads.
  template <class Optimizer, int Heads = 0>
  void finish(const Cuda& on, Updates<Ops>& updates, const Arenas<T>& arenas, const Counter& counter) {
    if constexpr (divides)
      apply<Optimizer, Heads>(on, updates, arenas, counter, sum_of_ranks<Heads>());
    else
      apply<Optimizer, Heads>(on, updates, arenas, counter, slot_sums(slots_used_));
  }
  /// An update by the current gradient, which is known to be finite.
  template <class Optimizer>
  void update(Updates<Ops>& updates, const Arenas<T>& arenas) {
    flags_ = gradient_flags_;
    apply<Optimizer, 0>(loaded_.device, updates, arenas, {}, {nullptr, nullptr, 0, arena});
  }

  /// Changes when a buffer moves: recorded launches contain their addresses.
  std::size_t generations() const {
    std::size_t all = 0;
    for (const Buffer* buffer : {&slots_, &losses_, &memory_, &bad_, &large_, &statistics_})
      all += buffer->generation();
    return all;
  }

 private:
  static constexpr int combine_blocks = Combine<T>::blocks_for(arena),
                       looking_blocks = divide_up(arena, 256) < 528 ? divide_up(arena, 256) : 528;
  // Bytes that a tile may take in device memory; gradients are added tile by tile.
  static constexpr std::size_t most_far_bytes = std::size_t{1} << 30;

  SlotSums<T> slot_sums(int count) {
    return {slots_.template reserve<T>(0), losses_.template reserve<double>(0), count, arena};
  }
  void combine(const SlotSums<T>& sums, T* gradient, T fraction, double* loss, std::uint32_t* flags,
               int blocks = combine_blocks) {
    launch<Combine<T>>(loaded_.device, {sums, gradient, fraction, loss, flags, blocks}, blocks, Combine<T>::memory);
  }
  /// Where ranks divide a batch: its sums as the only slot, and those of its losses.
  template <int Heads>
  SlotSums<T> sum_of_ranks() {
    T* numbers = sums_.template reserve<T>(arena);
    double* losses = sums_of_losses_.template reserve<double>((1 + Heads) * Cut::most_slots);
    combine(numbers, T(0), losses);
    for (int h = 0; h < Heads; ++h) {
      SlotSums<T> of_head = slot_sums(slots_used_);
      of_head.arena = 0;
      of_head.losses += (1 + h) * Cut::most_slots;
      combine(of_head, nullptr, T(0), losses + (1 + h) * Cut::most_slots, bad_.template reserve<std::uint32_t>(0), 1);
    }
    flags_ = slots_used_;
    last_slots_used_ = 1;
    return {numbers, losses, 1, arena};
  }
  template <class Optimizer, int Heads>
  void apply(const Cuda& on, Updates<Ops>& updates, const Arenas<T>& arenas, const Counter& counter,
             const SlotSums<T>& sums) {
    using Update = typename Optimizer::template Update<T>;
    using K = ApplyUpdate<Update, Optimizer::states, Heads>;
    typename K::Args args{};
    args.sums = sums;
    args.last_count = last_slots_used_;
    const bool adds = sums.count > 0;
    args.large = (adds ? large_ : bad_).template reserve<std::uint32_t>(0);
    args.flags = flags_;
    args.blocks = std::clamp(divide_up(arena, K::threads / std::min(sums.parts(), SlotSums<T>::most_parts)), 1, 528);
    args.gradient = arenas.gradient;
    args.updates = updates.template all<Update>();
    args.group_of = updates.group_of();
    args.groups = updates.groups();
    args.parameters = arenas.parameters;
    args.state = arenas.state;
    if (buffers > 0 && adds) {
      args.statistics = statistics_.template reserve<T>(0);
      args.buffers = buffers;
    }
    args.status = counter.status;
    args.changes = counter.changes;
    args.range = counter.range;
    args.epoch = counter.epoch;
    args.losses = counter.losses;
    args.kept_losses = counter.kept_losses;
    args.stops = counter.stops;
    const int blocks = args.blocks + (args.status != nullptr);
    if (adds && !divides)
      loaded_.template launch_next<K>(on, args, blocks, K::memory);
    else
      launch<K>(on, args, blocks, K::memory);
  }

  Loaded loaded_;
  Division division_;
  Buffer slots_{loaded_.device}, losses_{loaded_.device}, memory_{loaded_.device}, bad_{loaded_.device},
      large_{loaded_.device}, statistics_{loaded_.device}, sums_{loaded_.device}, sums_of_losses_{loaded_.device};
  bool followed_ = false;
  int slots_used_ = 0, last_slots_used_ = 0, flags_ = 0, gradient_flags_ = combine_blocks;
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
