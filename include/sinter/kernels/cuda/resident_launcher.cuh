// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "sinter/kernels/cuda/loaded.cuh"
#include "sinter/kernels/cuda/orders.cuh"
#include "sinter/kernels/cuda/updates.cuh"
#include "sinter/kernels/gpu/choose.hpp"
#include "sinter/kernels/steps.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// Launches resident blocks: many steps of many networks of one model, or of one.
template <class Model, class T, CudaPlan Wanted>
class ResidentLauncher {
  using Ops = Program<Model>;
  static constexpr std::size_t arena = static_cast<std::size_t>(Ops::arena_size);

 public:
  /// Steps of each network in a launch: with more, the host would wait too long, or send too many orders of rows.
  static constexpr std::size_t most_steps = 4096, most_epochs = 64;

  explicit ResidentLauncher(const Loaded& loaded) : loaded_(loaded) {}

  /// Some steps of each member, at most `most_steps`, and their outcome. `state` [members][states][arena] is the
  /// optimizers', `factors` the factors on their rates. `carried`: of the first step of a sequence, of the only member.
  template <class Kept, class Loss, class Optimizer>
  const std::vector<StepsDone>& run(const Kept& kept, std::size_t batch, const Loss& loss,
                                    std::span<const MemberSteps<T, Optimizer>> members, T* state,
                                    const std::vector<double>& factors = {}, const Carried<T>& carried = {}) {
    using Choose = gpu_kernels::Choose<Model, T, Optimizer::states, Wanted>;
    done_.assign(members.size(), {});
    if constexpr (Choose::resident_compiled) {
      using Data = std::remove_cvref_t<decltype(kept.template rows<T>())>;
      using Update = typename Optimizer::template Update<T>;
      using K = Resident<Model, T, Data, Loss, Update, Optimizer::states>;
      const CurrentCudaDevice current(loaded_.device.device);

      EpochLists lists;
      std::vector<Update> updates;
      std::vector<typename K::Member> runs(members.size());
      std::size_t losses = 0;
      int most_rows = 1;
      for (std::size_t m = 0; m < members.size(); ++m) {
        const auto& member = members[m];
        const std::size_t size = kept.size - member.order.held_out.count, rows = std::min(batch, size),
                          of_epoch = (size + rows - 1) / rows,
                          made = changes<Optimizer>(static_cast<long>(member.updates), member.count);
        auto& run = runs[m];
        run.range = {static_cast<std::uint32_t>(size),
                     static_cast<std::uint32_t>(rows),
                     static_cast<std::uint32_t>(of_epoch),
                     static_cast<std::uint32_t>(member.first),
                     static_cast<std::uint32_t>(member.count),
                     {0, static_cast<std::uint32_t>(made)},
                     nullptr,
                     static_cast<std::uint32_t>(member.order.chunks)};
        run.carried = carried;
        run.rows = Choose::resident_cut(static_cast<int>(rows), loaded_.shared);
        most_rows = std::max(most_rows, run.rows);
        run.parameters = member.parameters;
        run.gradient = member.gradient;
        run.state = state + m * Optimizer::states * arena;
        lists.add(member.order, size, (member.first + member.count + of_epoch - 1) / of_epoch);
        Updates<Ops>::add(updates, UpdateStep{member.optimizer, static_cast<long>(member.updates), factors}, made);
        losses += member.count * loss_sums<Loss>;
      }
      // Addresses are known once everything is allocated.
      const std::vector<Epoch> all_epochs = orders_.of(lists.all);
      const Epoch* epoch = epochs_.upload(all_epochs.data(), all_epochs.size());
      const Update* update = updates_.upload(updates, factors);
      double* loss_of_step = losses_.template reserve<double>(losses);
      const std::vector<StepStatus> clean(members.size());
      StepStatus* status = status_.upload(clean.data(), clean.size());
      for (std::size_t m = 0; m < runs.size(); ++m) {
        auto& run = runs[m];
        run.range.epochs = epoch + lists.first_of[m];
        run.updates = update;
        run.losses = loss_of_step;
        run.status = status++;
        update += static_cast<std::size_t>(run.range.changes.count) * static_cast<std::size_t>(updates_.groups());
        loss_of_step += run.range.steps * loss_sums<Loss>;
      }

      typename K::Args args{};
      args.step.data = kept.template rows<T>();
      args.step.loss = loss;
      args.groups = updates_.groups();
      args.group_of = updates_.group_of();
      args.members = members_.upload(runs.data(), runs.size());
      loaded_.template launch<K>(loaded_.device, args, static_cast<int>(members.size()), K::Memory::bytes(most_rows));

      sums_.resize(losses);
      losses_.download(sums_.data(), losses);
      std::vector<StepStatus> after(members.size());
      status_.download(after.data(), after.size());
      std::size_t first = 0;
      for (std::size_t m = 0; m < members.size(); ++m) {
        const std::size_t seen = std::min<std::size_t>(members[m].count, after[m].steps + after[m].stopped);
        done_[m] = {std::span<const double>(sums_).subspan(first, seen * loss_sums<Loss>), after[m].steps};
        first += members[m].count * loss_sums<Loss>;
      }
    }
    return done_;
  }

 private:
  /// The epochs of all members, one list for those that have the same: the same seed, epoch and rows.
  struct EpochLists {
    std::vector<Orders::Epochs> all;
    std::vector<std::size_t> first_of;  // of each member, among all epochs

    void add(const EpochOrder& order, std::size_t size, std::size_t count) {
      std::size_t first = 0;
      for (const Orders::Epochs& known : all) {
        if (known.first == order && known.size == size && known.count >= count) return first_of.push_back(first);
        first += known.count;
      }
      all.push_back({order, size, count});
      first_of.push_back(first);
    }
  };

  Loaded loaded_;
  Orders orders_{loaded_.device};
  Updates<Ops> updates_{loaded_.device};
  Buffer epochs_{loaded_.device}, losses_{loaded_.device}, status_{loaded_.device}, members_{loaded_.device};
  std::vector<double> sums_;
  std::vector<StepsDone> done_;
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
