// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "sinter/core/pack.hpp"
#include "sinter/model/program.hpp"

SINTER_NAMESPACE_BEGIN

/// The buffers of a network after a batch, until its step is known to be sound: an update of the optimizer that is
/// skipped changes no buffer. Running = (1 - momentum) running + momentum now, batch after batch.
template <class Model, class T>
class RunningStatistics {
  using Ops = Program<Model>;

 public:
  /// Forgets the batches since the last `keep`.
  void drop() { pending_.clear(); }
  /// One batch: of channel `c` of a statistics op, over `count` numbers. `squares` is the sum of (x - mean)^2.
  void add(const T* network, const Op& op, int c, double mean, double squares, double count) {
    if (pending_.empty()) pending_.assign(network + Ops::arena_size, network + Ops::storage_size);
    const auto follow = [&](int buffer, double now) {
      T& running = pending_[static_cast<std::size_t>(Ops::buffers[static_cast<std::size_t>(buffer)].offset -
                                                     Ops::arena_size + c)];
      running = static_cast<T>(fn::fma(1 - op.momentum, static_cast<double>(running), op.momentum * now));
    };
    follow(op.mean, mean);
    follow(op.variance, squares / (count - 1));
  }
  /// Around a batch that counts only if `count_apart` says so.
  void begin_apart() { apart_ = pending_; }
  void end_apart() { pending_.swap(apart_); }
  void count_apart() { pending_.swap(apart_); }
  /// Writes them to the network.
  void keep(T* network) {
    std::copy(pending_.begin(), pending_.end(), network + Ops::arena_size);
    drop();
  }

 private:
  std::vector<T> pending_, apart_;
};

SINTER_NAMESPACE_END
