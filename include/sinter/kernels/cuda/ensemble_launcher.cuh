// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "sinter/device/engine.hpp"
#include "sinter/kernels/apply_optimizer.hpp"
#include "sinter/kernels/cuda/buffer.cuh"
#include "sinter/kernels/cuda/choose.hpp"
#include "sinter/kernels/cuda/judge.hpp"
#include "sinter/kernels/cuda/loaded.cuh"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// Trains and judges many networks of one model side by side: a launch has a resident block for each of them.
template <class Model, class T, CudaPlan Wanted>
class EnsembleLauncher {
  static constexpr std::size_t arena = static_cast<std::size_t>(Program<Model>::arena_size);

 public:
  /// In a launch, of each network: with more, the host would hear nothing for too long, or send too many orders of rows.
  static constexpr std::size_t most_steps = 4096, most_epochs = 64;

  explicit EnsembleLauncher(const Loaded& loaded) : loaded_(loaded) {}

  /// Whether so many networks are trained side by side: else they are quicker one after another, or do not fit.
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

  /// Some steps of each member, at most `most_steps`, and what came of them. `state` [members][states][arena] is the
  /// optimizers'.
  template <class Kept, class Loss, class Optimizer>
  std::vector<MemberLosses> run(const Kept& kept, std::size_t batch, const Loss& loss,
                                std::span<const MemberSteps<T, Optimizer>> members, T* state) {
    using Choose = gpu_kernels::Choose<Model, T, Optimizer::states, Wanted>;
    std::vector<MemberLosses> done(members.size());
    if constexpr (Choose::resident_compiled) {
      using Data = std::remove_cvref_t<decltype(kept.template rows<T>())>;
      using Update = typename Optimizer::template Update<T>;
      using K = Resident<Model, T, Data, Loss, Update, Optimizer::states>;
      const CurrentCudaDevice current(loaded_.device.device);

      EpochLists epochs;
      std::vector<Update> updates;
      std::vector<typename K::Member> runs(members.size());
      std::size_t losses = 0;
      int most_rows = 1;
      for (std::size_t m = 0; m < members.size(); ++m) {
        const auto& member = members[m];
        const std::size_t size = kept.size - member.order.held_out.count, of_epoch = (size + batch - 1) / batch;
        const auto step = static_cast<long>(member.updates);
        auto& run = runs[m];
        run.size = static_cast<std::uint32_t>(size);
        run.done = static_cast<std::uint32_t>(member.first);
        run.of_epoch = static_cast<std::uint32_t>(of_epoch);
        run.steps = static_cast<std::uint32_t>(member.count);
        run.rows = Choose::resident_cut(static_cast<int>(std::min(batch, size)), loaded_.shared);
        most_rows = std::max(most_rows, run.rows);
        run.changes = static_cast<std::uint32_t>(changes<Optimizer>(step, member.count));
        run.parameters = member.parameters;
        run.gradient = member.gradient;
        run.state = state + m * Optimizer::states * arena;
        epochs.add(member.order, size, (member.first + member.count + of_epoch - 1) / of_epoch);
        for (std::uint32_t i = 0; i < run.changes; ++i)
          updates.push_back(member.optimizer.template at<T>(step + static_cast<long>(i)));
        losses += member.count;
      }
      // Addresses are known when all is there.
      const Epoch* epoch = epochs_.upload(epochs.all.data(), epochs.all.size());
      const Update* update = updates_.upload(updates.data(), updates.size());
      double* loss_of_step = losses_.template reserve<double>(losses);
      const std::vector<Status> clean(members.size());
      Status* status = status_.upload(clean.data(), clean.size());
      for (std::size_t m = 0; m < runs.size(); ++m) {
        auto& run = runs[m];
        run.epochs = epoch + epochs.first_of[m];
        run.updates = update;
        run.losses = loss_of_step;
        run.status = status++;
        update += run.changes;
        loss_of_step += run.steps;
      }

      typename K::Args args{};
      args.step.data = kept.template rows<T>();
      args.step.loss = loss;
      args.batch = static_cast<std::uint32_t>(batch);
      args.groups = 1;
      args.members = members_.upload(runs.data(), runs.size());
      launch<K>(loaded_.device, args, static_cast<int>(members.size()), K::Memory::bytes(most_rows), loaded_.shared);

      sums_.resize(losses);
      losses_.download(sums_.data(), losses);
      std::vector<Status> after(members.size());
      status_.download(after.data(), after.size());
      auto sum = sums_.begin();
      for (std::size_t m = 0; m < members.size(); ++m) {
        const std::size_t seen = std::min<std::size_t>(members[m].count, after[m].steps + after[m].stopped);
        done[m].losses.assign(sum, sum + static_cast<std::ptrdiff_t>(seen));
        done[m].applied = after[m].steps;
        sum += static_cast<std::ptrdiff_t>(members[m].count);
      }
    }
    return done;
  }

  /// Each network by its rows of a dataset that is kept.
  template <class Kept, class Loss>
  std::vector<Judgement> judge(const Kept& kept, const Loss& loss, std::span<const JudgedRows<T>> networks) {
    using Data = std::remove_cvref_t<decltype(kept.template rows<T>())>;
    using K = JudgeNetworks<Model, T, Data, Loss>;
    const CurrentCudaDevice current(loaded_.device.device);
    typename K::Args args{};
    args.step.data = kept.template rows<T>();
    args.step.loss = loss;
    args.networks = judged_.upload(networks.data(), networks.size());
    args.judgements = judgements_.template reserve<Judgement>(networks.size());
    launch<K>(loaded_.device, args, static_cast<int>(networks.size()), JudgeMemory<Model, T>::bytes, loaded_.shared);
    std::vector<Judgement> all(networks.size());
    judgements_.download(all.data(), all.size());
    return all;
  }
  /// Whether so many networks are better judged side by side than one after another, by the whole GPU each.
  bool judges_side_by_side(std::size_t networks, std::size_t rows) const {
    using Choose = gpu_kernels::Choose<Model, T, 0, CudaPlan::automatic>;
    const double one = Choose::operations_per_row / 3 * static_cast<double>(rows) / CostModel::resident_rate;
    const double waves = divide_up(static_cast<int>(networks), CostModel::blocks);
    constexpr double launches = 10 * CostModel::launch;  // and what the host does for each
    return JudgeMemory<Model, T>::bytes <= loaded_.shared &&
           one * waves < static_cast<double>(networks) * (one / CostModel::blocks + launches);
  }

 private:
  /// The epochs of all members, one list for those that have the same: the same seed, epoch and rows.
  struct EpochLists {
    std::vector<Epoch> all;
    std::vector<std::size_t> first_of;  // of each member

    void add(const EpochOrder& order, std::size_t size, std::size_t count) {
      const auto known = std::find_if(lists_.begin(), lists_.end(), [&](const List& list) {
        return list.order == order && list.size == size && list.count >= count;
      });
      if (known != lists_.end()) return first_of.push_back(known->first);
      lists_.push_back({order, size, count, all.size()});
      first_of.push_back(all.size());
      for (std::uint32_t e = 0; e < count; ++e)
        all.push_back({order.shuffle,
                       Permutation(size, order.seed, order.epoch + e),
                       {order.seed, order.epoch + e},
                       order.held_out});
    }

   private:
    struct List {
      EpochOrder order;
      std::size_t size, count, first;
    };
    std::vector<List> lists_;
  };

  Loaded loaded_;
  Buffer epochs_{loaded_.device}, updates_{loaded_.device}, losses_{loaded_.device}, status_{loaded_.device},
      members_{loaded_.device}, judged_{loaded_.device}, judgements_{loaded_.device};
  std::vector<double> sums_;
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
