// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "sinter/data/row_range.hpp"
#include "sinter/ranks/communicator.hpp"
#include "sinter/ranks/on_rank_zero.hpp"
#include "sinter/ranks/snapshot_of_all.hpp"
#include "sinter/ranks/true_on_all.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// What devices have in common that give each rank a part of a network, which it computes on a Device of its own.
template <class Device>
struct DividedDevice : Device {
  /// What fit() calls for a callback: those that print or write are called on one rank alone.
  template <class C>
    requires OnRankZero<C>
  detail::SnapshotOfAll<C> callback(C& given) const {
    bool silent = false;
    if constexpr (requires(const Device& device) { device.world; })  // another rank of the group calls it
      silent = this->Device::world != nullptr && this->Device::world->rank() != 0;
    return {given, world, silent};
  }
  /// Whether `own` is true on all ranks, of groups, too.
  bool all(bool own) const {
    if constexpr (requires(const Device& device) { device.all(own); }) own = Device::all(own);
    return detail::true_on_all(world, own);
  }
  /// Every rank takes part in every row.
  template <class Net>
  detail::ReadsAll forwarded_rows(const Net&, std::size_t) const {
    return {};
  }
  /// Calls work(i) for each i below count, on all ranks, and returns the bytes that it returns: the networks of an
  /// Ensemble are trained one after another, each by all ranks.
  template <class Work>
  std::vector<std::vector<std::byte>> deal(std::size_t count, Work&& work) const {
    std::vector<std::vector<std::byte>> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(work(i));
    return all;
  }
  int ranks() const { return world == nullptr ? 1 : world->size(); }

  Communicator* world = nullptr;
};

}  // namespace detail

SINTER_NAMESPACE_END
