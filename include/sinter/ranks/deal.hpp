// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/device/thread_pool.hpp"
#include "sinter/ranks/communicator.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Distributes independent work to the ranks of `world`: to each rank alone, or to groups that share the work.
class Dealer {
  using Bytes = std::vector<std::byte>;

 public:
  /// Without a group, a rank does as many pieces of work at a time as it has threads.
  Dealer(Communicator& world, Communicator* group, const ThreadPool& pool)
      : world_(world), group_(group != nullptr && group->size() > 1 ? group : nullptr), pool_(pool) {}

  /// A rank or group that is free takes the next: work(i), which returns bytes, is called for each i below count by one
  /// rank or one group. Returns the bytes of all.
  template <class Work>
  std::vector<Bytes> deal(std::size_t count, Work&& work) {
    check_same_on_all(count);
    std::vector<Bytes> all(count);
    std::vector<unsigned char> own(count, 0);
    const auto do_one = [&](std::size_t i) {
      all[i] = work(i);
      own[i] = leads();
    };
    const auto counter = world_.counter();
    const std::size_t most = at_once(count);
    for (std::size_t first = 0; (first = take(*counter, most)) < count;) {
      const std::size_t number = std::min(most, count - first);
      if (number == 1)
        do_one(first);
      else
        pool_.run(static_cast<int>(number), [&](int, int i) { do_one(first + static_cast<std::size_t>(i)); });
    }
    share(all, own);
    return all;
  }

 private:
  bool leads() const { return group_ == nullptr || group_->rank() == 0; }
  /// As many as there are threads, if enough work is left for the others.
  std::size_t at_once(std::size_t count) const {
    if (group_ != nullptr) return 1;
    const std::size_t ranks = static_cast<std::size_t>(world_.size()), each = (count + ranks - 1) / ranks;
    return std::clamp<std::size_t>(each, 1, static_cast<std::size_t>(pool_.size()));
  }
  std::size_t take(SharedCounter& counter, std::size_t most) const {
    const std::int64_t first = leads() ? counter.take(static_cast<std::int64_t>(most)) : 0;
    return static_cast<std::size_t>(group_ == nullptr ? first : gather(*group_, first)[0]);
  }
  void check_same_on_all(std::size_t count) const {
    const std::vector<std::uint64_t> counts = gather(world_, std::uint64_t{count});
    for (std::size_t rank = 1; rank < counts.size(); ++rank)
      if (counts[rank] != counts[0])
        fail("rank " + std::to_string(rank) + " was given " + std::to_string(counts[rank]) +
             " networks to train or evaluate, and rank 0 " + std::to_string(counts[0]) +
             "; all ranks are to make the same calls with the same options");
  }
  /// From the rank that has them to all.
  void share(std::vector<Bytes>& all, const std::vector<unsigned char>& own) const {
    const std::size_t count = all.size(), ranks = static_cast<std::size_t>(world_.size());
    struct Size {
      std::uint64_t bytes, own;
    };
    std::vector<Size> sizes(ranks * count);
    for (std::size_t i = 0; i < count; ++i)
      sizes[static_cast<std::size_t>(world_.rank()) * count + i] = {all[i].size(), own[i]};
    Exchange exchange(world_);
    for (std::size_t rank = 0; rank < ranks; ++rank)
      exchange.share(static_cast<int>(rank), sizes.data() + rank * count, count);
    exchange.run();
    for (std::size_t rank = 0; rank < ranks; ++rank)
      for (std::size_t i = 0; i < count; ++i) {
        const Size& size = sizes[rank * count + i];
        if (size.own == 0) continue;
        all[i].resize(size.bytes);
        exchange.share(static_cast<int>(rank), all[i].data(), all[i].size());
      }
    exchange.run();
  }

  Communicator& world_;
  Communicator* group_;
  const ThreadPool& pool_;
};

}  // namespace detail

SINTER_NAMESPACE_END
