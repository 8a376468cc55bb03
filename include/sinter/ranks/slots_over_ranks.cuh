// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "sinter/kernels/cuda/buffer.cuh"
#include "sinter/kernels/cuda/whole_batch.cuh"
#include "sinter/ranks/cuda_exchange.cuh"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// How ranks divide a batch on GPUs, which the plan pair cuts into slots. Each computes contiguous slots. Then
///   1. each rank owns a range of the gradient: it gets that range of all slots, and the losses and flags of all;
///   2. it adds the slots up in the order of one GPU, and sends the sum of its range to all.
/// So every rank has the whole gradient, bit for bit that of one GPU, and makes the same update.
class SlotsOverRanks {
 public:
  static constexpr bool divides = true;

  SlotsOverRanks() = default;
  /// Null: one rank.
  SlotsOverRanks(Communicator* world, const Cuda& device)
      : rank_(world != nullptr ? world->rank() : 0),
        ranks_(world != nullptr ? world->size() : 1),
        device_(device),
        sent_(device),
        received_(device) {
    if (ranks_ > 1) exchange_.emplace(*world, device);
  }

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }

  /// Those that this rank computes; from the last one on, if it has none.
  gpu_kernels::SlotRange slot_range(int count) const {
    const gpu_kernels::SlotRange own = slots_of(rank_, count);
    return own.count() > 0 ? own : gpu_kernels::SlotRange{count, count};
  }
  int first_number(int arena) const { return cut(rank_, arena); }
  template <class T>
  gpu_kernels::SlotSums<T> own_numbers(const gpu_kernels::SlotSums<T>& all) {
    if (ranks_ == 1) return all;
    return {received_.template reserve<T>(0), all.losses, all.count, numbers_of(rank_, all.arena)};
  }

  /// After the tiles of a batch: step 1. `of_slots` [slots][arena], `losses` [loss_sums][most_slots], `large` [slots],
  /// and, unless it is null, `to_input` [rows][inputs], of which each rank gets all rows.
  template <class T>
  void share_slots(const gpu_kernels::Cut& of, const T* of_slots, int arena, double* losses, std::size_t loss_sums,
                   std::uint32_t* large, T* to_input, int inputs) {
    if (ranks_ == 1) return;
    send_slots(of_slots, of.slot_count, arena);
    for (int rank = 0; rank < ranks_; ++rank) {
      const gpu_kernels::SlotRange own = slots_of(rank, of.slot_count);
      const auto count = static_cast<std::size_t>(own.count());
      for (std::size_t sum = 0; sum < loss_sums; ++sum)
        exchange_->share(rank, losses + sum * gpu_kernels::Cut::most_slots + own.first, count);
      exchange_->share(rank, large + own.first, count);
      if (to_input == nullptr) continue;
      const auto row = [&](int slot) { return std::min(of.begin(slot) * of.rows, of.batch); };
      exchange_->share(rank, to_input + static_cast<std::ptrdiff_t>(row(own.first)) * inputs,
                       static_cast<std::size_t>(row(own.last) - row(own.first)) * static_cast<std::size_t>(inputs));
    }
    exchange_->run();
  }
  /// After each rank has added up its own: step 2, and the `flags` [ranks][flags_of_rank] that tell whether a sum is
  /// not finite.
  template <class T>
  void share_numbers(T* numbers, int arena, std::uint32_t* flags, int flags_of_rank) {
    if (ranks_ == 1) return;
    for (int rank = 0; rank < ranks_; ++rank) {
      exchange_->share(rank, numbers + cut(rank, arena), static_cast<std::size_t>(numbers_of(rank, arena)));
      exchange_->share(rank, flags + rank * flags_of_rank, static_cast<std::size_t>(flags_of_rank));
    }
    exchange_->run();
  }

 private:
  static constexpr int line = 64;

  gpu_kernels::SlotRange slots_of(int rank, int count) const {
    return {static_cast<int>(static_cast<long long>(count) * rank / ranks_),
            static_cast<int>(static_cast<long long>(count) * (rank + 1) / ranks_)};
  }
  /// The numbers of the arena that a rank owns begin here.
  int cut(int rank, int arena) const {
    const long long lines = (arena + line - 1) / line;
    return std::min(arena, static_cast<int>(lines * rank / ranks_) * line);
  }
  int numbers_of(int rank, int arena) const { return cut(rank + 1, arena) - cut(rank, arena); }

  /// To each rank its range of the slots computed here, in one piece.
  template <class T>
  void send_slots(const T* of_slots, int count, int arena) {
    const gpu_kernels::SlotRange own = slots_of(rank_, count);
    const auto size = [](int rows, int columns) {
      return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
    };
    const int range = numbers_of(rank_, arena);
    T* const sent = sent_.template reserve<T>(size(own.count(), arena));
    T* const received = received_.template reserve<T>(size(count, range));
    for (int rank = 0; rank < ranks_; ++rank) {
      const int numbers = numbers_of(rank, arena);
      const gpu_kernels::SlotRange theirs = slots_of(rank, count);
      T* const from_there = received + size(theirs.first, range);
      T* const piece = rank == rank_ ? from_there : sent + size(own.count(), cut(rank, arena));
      pack(piece, of_slots + size(own.first, arena) + cut(rank, arena), numbers, arena, own.count());
      if (rank == rank_) continue;
      exchange_->send(rank, piece, size(own.count(), numbers));
      exchange_->receive(rank, from_there, size(theirs.count(), range));
    }
  }
  /// to [rows][columns] from columns of a matrix [rows][stride].
  template <class T>
  void pack(T* to, const T* from, int columns, int stride, int rows) const {
    if (rows == 0 || columns == 0) return;
    const auto bytes = [](int numbers) { return static_cast<std::size_t>(numbers) * sizeof(T); };
    cuda_check(cudaMemcpy2DAsync(to, bytes(columns), from, bytes(stride), bytes(columns),
                                 static_cast<std::size_t>(rows), cudaMemcpyDeviceToDevice, device_.stream),
               "packing the gradients that ranks exchange");
  }

  int rank_ = 0, ranks_ = 1;
  Cuda device_;
  std::optional<CudaExchange> exchange_;
  gpu_kernels::Buffer sent_{Cuda{}}, received_{Cuda{}};
};

}  // namespace detail

SINTER_NAMESPACE_END
