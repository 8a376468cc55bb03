// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "sinter/core/unroll.hpp"
#include "sinter/kernels/host/stages/batch_gradient.hpp"
#include "sinter/kernels/host/step/batch_parts.hpp"
#include "sinter/kernels/host/step/squares.hpp"
#include "sinter/kernels/host/step/whole_batch.hpp"
#include "sinter/ranks/columns_of_rank.hpp"
#include "sinter/ranks/communicator.hpp"
#include "sinter/ranks/same_on_all.hpp"
#include "sinter/ranks/sums_over_ranks.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// How ranks divide a batch. Each computes contiguous parts of it, which are nodes of the sum's tree. Then
///   1. the numbers of each tile (losses, sums of a batch normalisation) go to all, and each adds them as one would;
///   2. of gradients that are one sum over the batch, each rank computes some columns: it gets the operands for those;
///   3. each rank owns a range of the other gradients: it gets that range of all nodes, adds them in the tree's order,
///      and sends the sum to all.
/// So every rank has the whole gradient, bit for bit that of one rank, and makes the same update.
class BatchOverRanks {
 public:
  BatchOverRanks() = default;
  /// Null: one rank.
  explicit BatchOverRanks(Communicator* world) : world_(world != nullptr && world->size() > 1 ? world : nullptr) {}

  host_kernels::OwnRank own_rank() const {
    return world_ == nullptr ? host_kernels::OwnRank{} : host_kernels::OwnRank{world_->rank(), world_->size()};
  }
  /// Parts are cut for as many on each rank.
  int threads(int here) {
    if (world_ == nullptr) return here;
    if (here != threads_here_ || world_->shrinks() != shrinks_) {
      int most = 1;
      for (const int there : gather(*world_, here)) most = std::max(most, there);
      if (world_->shrinks() != shrinks_) same_.begin_anew();
      most_threads_ = most;
      threads_here_ = here;
      shrinks_ = world_->shrinks();
    }
    return most_threads_ * world_->size();
  }

  template <class Passes>
  void begin(const Passes& passes) {
    if (world_ != nullptr) same_.begin(*world_, passes);
  }

  template <class Passes>
  void gather_partials(const Passes& passes, int normalize) {
    if (world_ == nullptr) return;
    using Values = typename Passes::Values;
    const int channels = Values::op(normalize).in.channels;
    Exchange exchange(*world_);
    for_each_tile(passes, [&](int rank, std::size_t t) {
      double* const partial = passes.memory.partials.data() + t * Values::partial_size;
      exchange.share(rank, partial + Values::partial_at(normalize), static_cast<std::size_t>(2 * channels));
    });
    exchange.run();
  }
  template <class Parts, class Value>
  void gather_rows(const Parts& parts, std::size_t batch, Value* rows) const {
    if (world_ == nullptr) return;
    Exchange exchange(*world_);
    share_rows(exchange, parts, batch, rows, 1);
    exchange.run();
  }
  void expect_own_inputs_alone() { same_.leave_out_inputs(); }
  template <class Passes>
  void gather_outputs(const Passes& passes) {
    if (world_ == nullptr) return;
    Exchange exchange(*world_);
    share_rows(exchange, passes.parts, passes.batch.rows, passes.to.y, Passes::Plan::Ops::output.size());
    same_.share_step(exchange);
    exchange.run();
    same_.check_step(*world_);
  }

  template <class Passes>
  void add_gradients(const Passes& passes) {
    if (world_ == nullptr) {
      host_kernels::WholeBatch::add_gradients(passes);
      moderate_ = {passes.memory.squares.moderate()};
      return;
    }
    using Plan = typename Passes::Plan;
    Exchange exchange(*world_);
    share_losses(exchange, passes);
    same_.share_step(exchange);
    if constexpr (host_kernels::panels_of_batch<Plan> > 0) {
      share_operands(exchange, passes);
      exchange.run();
      same_.check_step(*world_);
      const int rank = world_->rank(), ranks = world_->size();
      passes.weight_gradients(first_panel<Plan>(rank, ranks), first_panel<Plan>(rank + 1, ranks));
      share_panels(exchange, passes);
    }
    if constexpr (Passes::Parts::has_sums) sums_.add(*world_, exchange, passes);
    share_moderate(exchange, passes);
    exchange.run();
    same_.check_step(*world_);
    if constexpr (host_kernels::panels_of_batch<Plan> > 0)
      if (passes.to.fraction != 0) add_to_earlier(passes);
  }
  template <class T>
  bool moderate(const host_kernels::SquaresByThread<T>&) const {
    return std::ranges::all_of(moderate_, [](unsigned char one) { return one != 0; });
  }

 private:
  // -- 1. numbers of tiles and rows -----------------------------------------------------------------------------------

  /// f(rank, tile) for each tile of each rank.
  template <class Passes, class F>
  void for_each_tile(const Passes& passes, F&& f) const {
    for (int rank = 0; rank < world_->size(); ++rank)
      for (std::size_t t = passes.parts.first_tile_of(rank); t < passes.parts.first_tile_of(rank + 1); ++t) f(rank, t);
  }
  /// This many numbers for each row.
  template <class Parts, class T>
  void share_rows(Exchange& exchange, const Parts& parts, std::size_t batch, T* rows, int numbers) const {
    for (int rank = 0; rank < world_->size(); ++rank) {
      const auto [first, last] = parts.rows_of(rank, batch);
      const std::size_t n = static_cast<std::size_t>(numbers);
      exchange.share(rank, rows + first * n, (last - first) * n);
    }
  }
  template <class Passes>
  void share_losses(Exchange& exchange, const Passes& passes) const {
    auto& memory = passes.memory;
    for (int rank = 0; rank < world_->size(); ++rank) {
      const std::size_t first = passes.parts.first_tile_of(rank), count = passes.parts.first_tile_of(rank + 1) - first;
      exchange.share(rank, memory.losses.data() + first, count);
      if constexpr (Passes::heads > 0)
        exchange.share(rank, memory.losses_of_heads.data() + first * Passes::heads, count * Passes::heads);
    }
    if constexpr (std::is_pointer_v<decltype(passes.to.input_gradient)>)
      share_rows(exchange, passes.parts, passes.batch.rows, passes.to.input_gradient, Passes::Plan::Ops::input.size());
  }

  // -- 2. gradients from the whole batch ------------------------------------------------------------------------------

  /// Each rank gets what its columns of a weight need, of all tiles: those columns of the inputs, and the gradients of
  /// all outputs.
  template <class Passes>
  void share_operands(Exchange& exchange, const Passes& passes) const {
    using Tile = typename Passes::Tile;
    using Left = typename Passes::Left;
    using Plan = typename Passes::Plan;
    constexpr int lanes = Passes::lanes;
    const int own = world_->rank(), ranks = world_->size();
    unroll<Plan::stage_count>([&](auto s) {
      constexpr int S = decltype(s)::value;
      if constexpr (Plan::of_batch(S))
        for_each_tile(passes, [&](int rank, std::size_t t) {
          const auto tile = static_cast<std::ptrdiff_t>(t);
          auto *x = passes.memory.stored_operands.data(), *dy = x;
          if constexpr (Passes::layered) {
            x = passes.tiles + tile * Passes::stride + Tile::input(S).offset * lanes;
            dy = passes.tiles + tile * Passes::stride + Tile::gradient_of(S).offset * lanes;
          } else {
            x += tile * Left::stride + Left::input(S) * lanes;
            dy += tile * Left::stride + Left::gradient(S) * lanes;
          }
          const auto give = [&](int to) {
            const ColumnRange columns = columns_of_rank<Plan>(S, to, ranks);
            if (columns.count() == 0) return;
            const auto packs = [&](auto* numbers, int count) {
              const auto size = static_cast<std::size_t>(count * lanes);
              rank == own ? exchange.send(to, numbers, size) : exchange.receive(rank, numbers, size);
            };
            packs(x + columns.first * lanes, columns.count());
            packs(dy, Plan::source(S).out.size());
          };
          if (rank != own) give(own);
          for (int to = 0; rank == own && to < ranks; ++to)
            if (to != own) give(to);
        });
    });
  }
  /// The columns of weights that each rank has computed, and the biases that belong to first columns.
  template <class Passes>
  void share_panels(Exchange& exchange, const Passes& passes) const {
    using Plan = typename Passes::Plan;
    auto* const gradient = passes.gradient_of_batch();
    unroll<Plan::stage_count>([&](auto s) {
      constexpr int S = decltype(s)::value;
      if constexpr (Plan::of_batch(S) && !Plan::Cut::gives_again(S)) {
        constexpr Op op = Plan::source(S);
        constexpr int in = op.in.size(), out = op.out.size();
        for (int rank = 0; rank < world_->size(); ++rank) {
          const ColumnRange columns = columns_of_rank<Plan>(S, rank, world_->size());
          if (columns.count() == 0) continue;
          for (int m = 0; m < out; ++m)
            exchange.share(rank, gradient + Plan::parameter(op.weight).offset + m * in + columns.first,
                           static_cast<std::size_t>(columns.count()));
          if constexpr (op.with_bias)
            if (columns.first == 0) exchange.share(rank, gradient + Plan::parameter(op.bias).offset, std::size_t{out});
        }
      }
    });
  }
  /// After other batches: fraction * gradient + that of this batch.
  template <class Passes>
  static void add_to_earlier(const Passes& passes) {
    using Memory = std::remove_reference_t<decltype(passes.memory)>;
    using Plan = typename Passes::Plan;
    typename Plan::V squares(0);  // of no use here
    for (const host_kernels::Stretch& of : Memory::template stretches<true>)
      host_kernels::add_batch_of<typename Plan::ISA>(of, passes.memory.of_batch.data(), passes.to.gradient,
                                                     passes.to.fraction, squares);
  }

  template <class Passes>
  void share_moderate(Exchange& exchange, const Passes& passes) {
    moderate_.assign(static_cast<std::size_t>(world_->size()), 0);
    moderate_[static_cast<std::size_t>(world_->rank())] = passes.to.fraction == 0 && passes.memory.squares.moderate();
    for (int rank = 0; rank < world_->size(); ++rank)
      exchange.share(rank, &moderate_[static_cast<std::size_t>(rank)], 1);
  }

  Communicator* world_ = nullptr;
  int threads_here_ = 0, most_threads_ = 1, shrinks_ = 0;
  SameOnAll same_;
  std::vector<unsigned char> moderate_;  // of each rank
  SumsOverRanks sums_;
};

}  // namespace detail

SINTER_NAMESPACE_END
