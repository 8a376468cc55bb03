// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sinter/device/engine.hpp"
#include "sinter/device/host.hpp"
#include "sinter/ranks/communicator.hpp"
#include "sinter/ranks/deal.hpp"
#include "sinter/ranks/on_rank_zero.hpp"
#include "sinter/ranks/ranks_engine.hpp"
#include "sinter/ranks/ranks_without_rows.hpp"
#include "sinter/ranks/rows_over_ranks.hpp"
#include "sinter/ranks/same_on_all.hpp"
#include "sinter/ranks/solo.hpp"
#include "sinter/ranks/true_on_all.hpp"
#include "sinter/train/callbacks.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
template <class Device>
inline constexpr bool is_ranks = false;
template <class Device>
inline constexpr bool is_ranks<Ranks<Device>> = true;
}  // namespace detail

/// A device that every rank makes: ranks divide each batch, and get the bits that one rank gets.
///
///     Network<LeNet, Ranks<Host>> net{{world, Host{.threads = 2}}, {.seed = 1}};
///
/// All ranks make the same calls with the same data and options; `world` must outlive the network. Without a `world`,
/// there is one rank. Each network of an Ensemble, of cross_validate() and of sweep() is trained by one rank, on its
/// Device, and then sent to all; if Device is itself a Ranks, a group of ranks divides the batches of a network:
///
///     const auto pair = world.split(world.rank() / 2);
///     Ensemble<LeNet, Ranks<Ranks<Host>>> nets{{world, {*pair, Host{}}}, 8};
template <class Device>
struct Ranks : Device {
  using OfMembers = Device;

  Ranks() = default;
  Ranks(Communicator& among, Device own = {}) : Device(std::move(own)), world(&among) {}

  /// What fit() calls for a callback: those that print or write are called on rank 0 alone.
  template <class C>
    requires OnRankZero<C>
  detail::RankZeroCallback<C> callback(C& given) const {
    return {given, world};
  }
  /// Whether `own` is true on all ranks.
  bool all(bool own) const {
    if (world == nullptr) return own;
    return world->retry([&] { return detail::true_on_all(world, own); });
  }
  /// A note for the user on training with such batches, or nothing.
  template <class Net>
    requires requires(const Device& device) { device.pool; }
  std::string note_of_batch(const Net&, std::size_t batch) const {
    return detail::ranks_without_rows<typename Net::Engine::Plan>(batch, this->pool.size(),
                                                                  world == nullptr ? 1 : world->size());
  }
  /// Which of the rows each rank forwards. Where a rank may be lost, each forwards all.
  template <class Net>
  detail::RowsOverRanks<Net::Engine::lanes> forwarded_rows(const Net& net, std::size_t size) const {
    const bool several = world != nullptr && world->size() > 1;
    if (several) world->retry([&] { return detail::check_same_on_all(*world, net, size), true; });
    return detail::RowsOverRanks<Net::Engine::lanes>(several && !world->survives() ? world : nullptr);
  }
  /// Calls work(i) for each i below count, each on one rank, and returns the bytes that it returns, on all.
  template <class Work>
  std::vector<std::vector<std::byte>> deal(std::size_t count, Work&& work) const {
    static_assert(
        requires(const Device& device) { device.pool; },
        "sinter: ranks distribute networks only over hosts: Ensemble<Model, Ranks<Host>> nets{{world}, 8}");
    Solo alone;
    Communicator* group = nullptr;
    if constexpr (detail::is_ranks<Device>) group = static_cast<const Device&>(*this).world;
    return detail::Dealer(world == nullptr ? alone : *world, group, this->pool).deal(count, work);
  }

  Communicator* world = nullptr;
};

template <class Model, class T, class Isa>
struct EngineFor<Model, T, Ranks<HostFor<Isa>>> {
  using Type = detail::RanksEngine<Model, T, Isa>;
};
template <class Model, class T, class Device>
struct EngineFor<Model, T, Ranks<Device>> : EngineFor<Model, T, Device> {
  static_assert(std::is_void_v<Device>,
                "sinter: ranks divide batches only on the host, Network<Model, Ranks<Host>> net{{world}}, and, with "
                "<sinter/ranks.cuh>, on GPUs: Ranks<Cuda>");
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::Ranks;
}  // namespace sinter
