// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "sinter/core/aligned.hpp"
#include "sinter/core/sum_tree.hpp"
#include "sinter/device/thread_pool.hpp"
#include "sinter/kernels/host/plan/slot_places.hpp"
#include "sinter/kernels/host/step/batch_parts.hpp"
#include "sinter/ranks/communicator.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Adds the sums of the parts of a batch over ranks: each rank owns a range of them. It gets that range of all nodes,
/// adds them in the order of the tree, and sends the gradient to all.
class SumsOverRanks {
 public:
  /// The numbers of a slot that a rank owns.
  template <class Plan>
  static int numbers_of(int rank, int ranks) {
    return cut<Plan>(rank + 1, ranks) - cut<Plan>(rank, ranks);
  }
  /// Exchanges what it is given together with the sums, and adds the gradients of the ranges to what is to be exchanged
  /// next.
  template <class Passes>
  void add(const Communicator& world, Exchange& exchange, const Passes& passes) {
    using Plan = typename Passes::Plan;
    using T = typename Passes::T;
    using V = typename Plan::V;
    auto& memory = passes.memory;
    const auto& parts = passes.parts;
    const SumTree tree(parts.sums());
    const auto for_each_node_of = [&](int rank, auto&& f) {
      tree.for_each_node(parts.first_sum(rank), parts.first_sum(rank + 1), f);
    };
    const auto own_slot = [&](int sum) { return memory.slot(sum - parts.begin_sum); };
    const int rank = world.rank(), ranks = world.size(), begin = cut<Plan>(rank, ranks),
              size = cut<Plan>(rank + 1, ranks) - begin;

    // The rank's own nodes, each in its first slot.
    over_threads<V>(passes.pool, host_kernels::slot_size<Plan>, [&](int, int first, int count) {
      for_each_node_of(rank, [&](SumTree::Node node) {
        T* at[most_places];
        tree.add(
            node, [&](int sum, int place) { at[place] = own_slot(sum) + first; },
            [&](int place) { add_to<V>(at[place + 1], at[place], count); });
      });
    });

    // Each owner gets its range of every node.
    std::vector<SumTree::Node> nodes;
    std::vector<T*> sums;
    for (int from = 0; from < ranks; ++from)
      for_each_node_of(from, [&](SumTree::Node node) {
        nodes.push_back(node);
        sums.push_back(from == rank ? own_slot(tree.begin(node)) + begin : nullptr);
      });
    received<T>().resize(nodes.size());
    std::size_t k = 0;
    for (int from = 0; from < ranks; ++from)
      for_each_node_of(from, [&](SumTree::Node node) {
        const auto stretch = static_cast<std::size_t>(size);
        if (from == rank)
          for (int to = 0; to < ranks; ++to) {
            if (to != rank)
              exchange.send(to, own_slot(tree.begin(node)) + cut<Plan>(to, ranks),
                            static_cast<std::size_t>(cut<Plan>(to + 1, ranks) - cut<Plan>(to, ranks)));
          }
        else {
          AlignedArray<T>& buffer = received<T>()[k];
          if (buffer.size() < stretch) buffer = AlignedArray<T>(stretch);
          sums[k] = buffer.data();
          exchange.receive(from, sums[k], stretch);
        }
        ++k;
      });
    exchange.run();

    // Adds all nodes in the order of the tree, and writes the gradient.
    over_threads<V>(passes.pool, size, [&](int thread, int first, int count) {
      SumStack stack;
      T* at[most_places];
      const auto merge = [&](int place) { add_to<V>(at[place + 1], at[place], count); };
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        at[stack.place()] = sums[i] + first;
        stack.push(nodes[i], merge);
      }
      stack.finish(merge);
      V square(0);
      for_each_piece<Passes>(begin + first, begin + first + count, [&](int to, int place, int numbers) {
        for (int i = 0; i < numbers; i += V::lanes) {
          T* const gradient = passes.to.gradient + to + i;
          const V sum =
              host_kernels::earlier<V>(gradient, passes.to.fraction) + V::load(at[0] + (place - begin - first) + i);
          square = fn::fma(sum, sum, square);
          sum.store(gradient);
        }
      });
      memory.squares.add(thread, square);
    });
    for (int owner = 0; owner < ranks; ++owner)
      for_each_piece<Passes>(cut<Plan>(owner, ranks), cut<Plan>(owner + 1, ranks), [&](int to, int, int numbers) {
        exchange.share(owner, passes.to.gradient + to, static_cast<std::size_t>(numbers));
      });
  }

 private:
  template <class Passes>
  using MemoryOf = std::remove_reference_t<decltype(std::declval<Passes&>().memory)>;

  /// The numbers of a slot that a rank owns begin here.
  template <class Plan>
  static int cut(int rank, int ranks) {
    constexpr int size = host_kernels::slot_size<Plan>, line = 64;
    return std::min(size, static_cast<int>(host_kernels::part_of(divide_up(size, line), rank, ranks)) * line);
  }
  template <class V, class T>
  static void add_to(const T* from, T* to, int count) {
    for (int i = 0; i < count; i += V::lanes) (V::load(to + i) + V::load(from + i)).store(to + i);
  }
  /// f(thread, first, count) for ranges of [0, size), over the threads of a pool.
  template <class V, class F>
  static void over_threads(const ThreadPool& pool, int size, F&& f) {
    const int packs = size / V::lanes, ranges = size < host_kernels::least_shared_numbers ? 1 : pool.size();
    pool.run(ranges, [&](int thread, int i) {
      const int first = static_cast<int>(host_kernels::part_of(packs, i, ranges)) * V::lanes,
                last = static_cast<int>(host_kernels::part_of(packs, i + 1, ranges)) * V::lanes;
      f(thread, first, last - first);
    });
  }
  static constexpr int most_places = 32;

  /// f(in the arena, in a slot, count) for the ranges of gradients that a slot has in [first, last).
  template <class Passes, class F>
  static void for_each_piece(int first, int last, F&& f) {
    for (const host_kernels::Stretch& of : MemoryOf<Passes>::template stretches<false>) {
      const int from = std::max(first, of.place), to = std::min(last, of.place + of.end - of.begin);
      if (from < to) f(of.begin + from - of.place, from, to - from);
    }
  }
  template <class T>
  std::vector<AlignedArray<T>>& received() {
    if constexpr (std::is_same_v<T, float>)
      return received_floats_;
    else
      return received_doubles_;
  }

  std::vector<AlignedArray<float>> received_floats_;
  std::vector<AlignedArray<double>> received_doubles_;
};

}  // namespace detail

SINTER_NAMESPACE_END
