// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <type_traits>
#include <utility>

#include "sinter/device/host.hpp"
#include "sinter/network/network.hpp"
#include "sinter/ranks/communicator.hpp"
#include "sinter/ranks/on_rank_zero.hpp"
#include "sinter/train/snapshot.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// A callback that is called on rank 0 alone, where each rank has a part of the network: if it asks for a snapshot, all
/// ranks send rank 0 what they have.
template <class C>
class SnapshotOfAll : public RankZeroCallback<C> {
 public:
  SnapshotOfAll(C& callback, Communicator* world, bool silent)
      : RankZeroCallback<C>(callback, world, silent), callback_(callback), world_(world), silent_(silent) {}

  template <class Trainer, class Kept>
    requires HasSnapshot<C, Trainer>
  auto on_snapshot(const Trainer& trainer, bool epoch_end, bool last, Kept&& kept) {
    using Result = decltype(callback_.on_snapshot(trainer, epoch_end, last, kept));
    if (silent_) return Result(true);
    if (world_ != nullptr && world_->rank() != 0) {
      while (asked(false)) Whole<Trainer>{trainer};
      return Result(true);
    }
    const Result result = callback_.on_snapshot(Gathered<Trainer>(*this, trainer), epoch_end, last, kept);
    asked(false);
    return result;
  }

 private:
  template <class Trainer>
  using Trained = std::remove_cvref_t<decltype(std::declval<const Trainer&>().network())>;
  template <class Trainer>
  using Precision = std::conditional_t<std::is_same_v<typename Trained<Trainer>::Scalar, float>, Float32, Float64>;

  /// What all ranks have together.
  template <class Trainer>
  struct Whole {
    explicit Whole(const Trainer& trainer) : snapshot(trainer.snapshot()), network(trainer.network()) {}
    Snapshot<typename Trained<Trainer>::Scalar> snapshot;
    Network<typename Trained<Trainer>::Model, Host, Precision<Trainer>> network;
  };
  /// On rank 0: what a checkpoint asks of a Trainer.
  template <class Trainer>
  class Gathered {
   public:
    Gathered(const SnapshotOfAll& callback, const Trainer& trainer) : callback_(callback), trainer_(trainer) {}

    const auto& snapshot() const { return whole().snapshot; }
    const auto& network() const { return whole().network; }
    const auto& optimizer() const { return trainer_.optimizer(); }
    auto options() const { return trainer_.options(); }
    bool has_gradient() const { return trainer_.has_gradient(); }
    long steps() const { return trainer_.steps(); }

   private:
    const Whole<Trainer>& whole() const {
      if (!whole_) {
        callback_.asked(true);
        whole_.emplace(trainer_);
      }
      return *whole_;
    }

    const SnapshotOfAll& callback_;
    const Trainer& trainer_;
    mutable std::optional<Whole<Trainer>> whole_;
  };

  /// Whether rank 0 asks for the parts: all ranks call it.
  bool asked(bool wanted) const {
    return world_ != nullptr && gather(*world_, static_cast<unsigned char>(wanted))[0] != 0;
  }

  C& callback_;
  Communicator* world_;
  bool silent_;
};

}  // namespace detail

SINTER_NAMESPACE_END
