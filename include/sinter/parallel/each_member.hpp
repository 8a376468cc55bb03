// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "sinter/parallel/byte_archive.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// A device of many ranks, which distributes independent work: deal(count, work) calls work(i) for each i below count,
/// each on one rank, and returns the bytes that all calls returned, on every rank. Each call uses an OfMembers.
template <class Device>
concept DealsWork = requires { typename Device::OfMembers; };

template <class Device>
struct MemberDeviceOf {
  using Type = Device;
};
template <DealsWork Device>
struct MemberDeviceOf<Device> {
  using Type = typename Device::OfMembers;
};
/// The device of a member of an ensemble on this device.
template <class Device>
using MemberDevice = typename MemberDeviceOf<Device>::Type;

template <class Nets>
using DeviceOf = std::remove_cvref_t<decltype(std::declval<Nets&>().device())>;

/// work(i) for each i below count; on the host, on all threads of the device. If the device distributes the work,
/// `archive` is called with an archive and i: after work(i), to store its result, and, on all ranks, to read it.
template <class Device, class Work, class Archive>
void for_each_work(const Device& device, std::size_t count, Work&& work, [[maybe_unused]] Archive&& archive) {
  if constexpr (DealsWork<Device>) {
    auto all = device.deal(count, [&](std::size_t i) {
      work(i);
      ByteArchive to;
      archive(to, i);
      return std::move(to).bytes();
    });
    for (std::size_t i = 0; i < count; ++i) {
      ByteArchive from(std::move(all[i]));
      archive(from, i);
    }
  } else if constexpr (requires { device.pool; }) {
    device.pool.run(static_cast<int>(count), [&](int, int i) { work(static_cast<std::size_t>(i)); });
  } else {
    for (std::size_t i = 0; i < count; ++i) work(i);
  }
}

/// The results of work(m) for each member. It may change the members of an ensemble that is not const; all ranks then
/// have the changed ones.
template <class Nets, class Work, class Result = std::invoke_result_t<Work&, std::size_t>>
std::vector<Result> for_each_member(Nets& nets, Work&& work) {
  std::vector<Result> results(nets.size());
  const auto archive = [&](ByteArchive& bytes, std::size_t m) {
    bytes(results[m]);
    if constexpr (!std::is_const_v<Nets>) {
      using T = typename Nets::Member::Scalar;
      const auto& arena = nets[m].to_host();
      std::vector<T> numbers(arena.data(), arena.data() + arena.size());
      bytes(numbers);
      if (bytes.taking()) nets[m].from_host(numbers);
    }
  };
  for_each_work(nets.device(), nets.size(), [&](std::size_t m) { results[m] = work(m); }, archive);
  return results;
}

}  // namespace detail

SINTER_NAMESPACE_END
