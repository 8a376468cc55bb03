// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include "sinter/core/error.hpp"
#include "sinter/kernels/host/describe.hpp"
#include "sinter/kernels/host/stages/batch_gradient.hpp"
#include "sinter/kernels/host/step/batch_parts.hpp"
#include "sinter/network/network.hpp"
#include "sinter/plan/schedule.hpp"
#include "sinter/ranks/columns_of_rank.hpp"
#include "sinter/ranks/ranks.hpp"
#include "sinter/ranks/sums_over_ranks.hpp"

SINTER_NAMESPACE_BEGIN

/// What a rank sends in a training step; the maximum over all ranks.
struct StepTraffic {
  int ranks = 1;
  int rounds = 0;  ///< of messages, in which each rank waits for others
  long long messages = 0, bytes = 0;

  /// The communication time of a step, if a message takes `latency` seconds and `bandwidth` bytes are sent per second:
  /// a rank sends its messages one after another, without overlap with computing.
  double seconds(double latency, double bandwidth) const {
    return static_cast<double>(messages) * latency + static_cast<double>(bytes) / bandwidth;
  }
};

namespace detail {

/// Counts what BatchOverRanks exchanges for a batch.
template <class Plan>
class TrafficOfPlan {
  using Parts = host_kernels::BatchParts<Plan>;
  using T = typename Plan::Scalar;
  static constexpr int panels = host_kernels::panels_of_batch<Plan>;
  static constexpr bool keeps = Schedule<typename Plan::Cut>::count > 1 || Plan::layered;

 public:
  /// `threads` of each rank.
  TrafficOfPlan(std::size_t batch, int threads, int ranks)
      : ranks_(ranks), parts_(batch, threads * ranks, keeps, {0, ranks}) {}

  StepTraffic sent_by(int rank) const {
    StepTraffic sent{ranks_};
    const long long tiles = tiles_of(rank), share = SumsOverRanks::template numbers_of<Plan>(rank, ranks_);
    for (int s = 0; s < Plan::stage_count; ++s)
      if (Plan::stage(s).source == Source::normalize)
        for (int way = 0; way < 2; ++way)
          add_round(sent, rank, [&](int) { return tiles * 2 * Plan::source(s).in.channels * size_of<double>; });
    const long long numbers_of_tiles =
        tiles * size_of<double> + size_of<std::uint64_t>;  // losses, and which step it is
    if (panels > 0) add_round(sent, rank, [&](int to) { return numbers_of_tiles + tiles * operands_of_tile(to); });
    const long long panel_bytes = numbers_of_panels(rank) * size_of<T>;
    if (Parts::has_sums)
      add_round(sent, rank, [&](int to) {
        const long long sums = nodes_of(rank) * SumsOverRanks::template numbers_of<Plan>(to, ranks_) * size_of<T>;
        return sums + (panels > 0 ? panel_bytes : numbers_of_tiles);
      });
    add_round(sent, rank, [&](int) { return 1 + (Parts::has_sums ? share * size_of<T> : panel_bytes); });
    return sent;
  }

 private:
  template <class Number>
  static constexpr long long size_of = sizeof(Number);

  template <class BytesTo>
  void add_round(StepTraffic& sent, int rank, BytesTo&& bytes_to) const {
    ++sent.rounds;
    for (int to = 0; to < ranks_; ++to) {
      if (to == rank) continue;
      const long long bytes = bytes_to(to);
      sent.messages += bytes > 0;
      sent.bytes += bytes;
    }
  }
  long long tiles_of(int rank) const {
    return static_cast<long long>(parts_.first_tile_of(rank + 1) - parts_.first_tile_of(rank));
  }
  long long nodes_of(int rank) const {
    long long nodes = 0;
    SumTree(parts_.sums()).for_each_node(parts_.first_sum(rank), parts_.first_sum(rank + 1), [&](SumTree::Node) {
      ++nodes;
    });
    return nodes;
  }
  /// Bytes of the operands of a tile for the columns that a rank takes.
  long long operands_of_tile(int to) const {
    long long packs = 0;
    for (int s = 0; s < Plan::stage_count; ++s) {
      if (!Plan::of_batch(s)) continue;
      const int columns = columns_of_rank<Plan>(s, to, ranks_).count();
      if (columns > 0) packs += columns + Plan::source(s).out.size();
    }
    return packs * Plan::lanes * size_of<T>;
  }
  /// Bytes of the gradients that a rank computes from the whole batch.
  long long numbers_of_panels(int rank) const {
    long long numbers = 0;
    for (int s = 0; s < Plan::stage_count; ++s) {
      if (!Plan::of_batch(s) || Plan::Cut::gives_again(s)) continue;
      const ColumnRange columns = columns_of_rank<Plan>(s, rank, ranks_);
      const int out = Plan::source(s).out.size();
      numbers += static_cast<long long>(out) * columns.count();
      if (columns.count() > 0 && columns.first == 0 && Plan::source(s).with_bias) numbers += out;
    }
    return numbers;
  }

  int ranks_;
  Parts parts_;
};

template <class Model, class T, class Isa>
StepTraffic most_traffic(const Ranks<HostFor<Isa>>& device, std::size_t batch, int ranks) {
  const TrafficOfPlan<TilePlan<Model, T, Isa>> plan(batch, device.pool.size(), ranks);
  StepTraffic most{ranks};
  if (ranks < 2) return most;
  for (int rank = 0; rank < ranks; ++rank) {
    const StepTraffic one = plan.sent_by(rank);
    most.rounds = std::max(most.rounds, one.rounds);
    most.messages = std::max(most.messages, one.messages);
    most.bytes = std::max(most.bytes, one.bytes);
  }
  return most;
}

}  // namespace detail

/// What a training step of a batch sends, for this many ranks with as many threads each as this one has. Not counted
/// are the comparisons before batches 1, 2, 4, 8 .., losses of heads, and a byte for a callback that may stop.
template <class ModelType, class Isa, class Precision, class Model>
StepTraffic step_traffic(const Network<ModelType, Ranks<HostFor<Isa>>, Precision, Model>& net, std::size_t batch,
                         int ranks) {
  if (batch == 0) fail("step_traffic was given a batch of 0 rows; give it 1 or more");
  if (ranks < 1) fail("step_traffic was given " + std::to_string(ranks) + " ranks; give it 1 or more");
  return detail::most_traffic<Model, typename Precision::Scalar>(net.device(), batch, ranks);
}

/// The plan of the host, and what a step sends.
template <class Model, class T, class Isa>
std::string describe_plan(const Ranks<HostFor<Isa>>& device, std::size_t batch) {
  const int ranks = device.world == nullptr ? 1 : device.world->size();
  std::string all = describe_plan<Model, T>(static_cast<const HostFor<Isa>&>(device), batch);
  const StepTraffic sent = detail::most_traffic<Model, T>(device, batch, ranks);
  char line[256];
  std::snprintf(line, sizeof(line),
                "%d ranks: each sends up to %lld bytes in %lld messages and %d rounds, %.3f ms at 20 us and 1.25 GB/s, "
                "%.3f ms at 2 us and 12.5 GB/s\n",
                ranks, sent.bytes, sent.messages, sent.rounds, 1e3 * sent.seconds(20e-6, 1.25e9),
                1e3 * sent.seconds(2e-6, 12.5e9));
  return all + line;
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::step_traffic;
using internal::StepTraffic;
}  // namespace sinter
