// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sinter/kernels/gpu/order.hpp"
#include "support/cuda_on_host.hpp"

namespace sinter_test {

/// A network that a block trains.
template <class Model, class T, int States>
struct ResidentNetwork {
  static constexpr std::size_t arena = static_cast<std::size_t>(sinter::internal::Program<Model>::arena_size);

  std::vector<T> parameters, gradient = std::vector<T>(arena), state = std::vector<T>(arena * States);
  std::vector<double> losses;
  sinter::internal::gpu_kernels::StepStatus status{};
};

/// Training runs by the plan `resident`: a launch for each epoch, a block for this network and for each of the others.
template <class Model, class T, class Loss, class Optimizer, class Launcher = HostLauncher>
struct ResidentRun : ResidentNetwork<Model, T, Optimizer::states> {
  static constexpr int states = Optimizer::states;
  using Trained = ResidentNetwork<Model, T, states>;
  using Trained::arena;

  std::vector<Trained> others;

  /// On labels, or rows of targets.
  template <class Target>
  void epoch(const std::vector<float>& x, const std::vector<Target>& targets, std::size_t batch,
             const Optimizer& optimizer, std::uint64_t seed, std::uint32_t number, int rows_that_fit,
             Launcher launch = {}, bool shuffled = true) {
    using Data = sinter::internal::gpu_kernels::Rows<float, Target, T>;
    constexpr std::size_t sums = sinter::internal::loss_sums<Loss>;
    using Update = typename Optimizer::template Update<T>;
    using K = sinter::internal::gpu_kernels::Resident<Model, T, Data, Loss, Update, states>;
    const std::size_t size = x.size() / static_cast<std::size_t>(sinter::internal::Program<Model>::input.size());
    const auto steps = static_cast<std::uint32_t>((size + batch - 1) / batch);
    std::vector<std::uint32_t> order(size);
    if (shuffled) make_order(order, seed, number, launch);
    const sinter::internal::gpu_kernels::Epoch epoch{shuffled ? order.data() : nullptr, {seed, number}};
    std::vector<Update> updates;
    for (std::uint32_t s = 0; s < steps; ++s)
      updates.push_back(optimizer.template at<T>(static_cast<long>(this->status.steps + s)));
    launch.given(x.data(), x.size());
    launch.given(targets.data(), targets.size());
    std::vector<typename K::Member> members;
    for (Trained* network : all()) {
      network->losses.assign(steps * sums, 0);
      members.push_back(
          {{static_cast<std::uint32_t>(size), static_cast<std::uint32_t>(batch), steps, 0, steps, {0, steps}, &epoch},
           rows_that_fit,
           updates.data(),
           network->parameters.data(),
           network->gradient.data(),
           network->state.data(),
           network->losses.data(),
           &network->status});
      launch.given(network->parameters.data(), arena);
      launch.given(network->state.data(), network->state.size());
      launch.given(&network->status, 1);
      launch.wanted(network->gradient.data(), arena);
      launch.wanted(network->losses.data(), steps * sums);
    }
    typename K::Args args{};
    args.step.data = {x.data(), targets.data(), 1, 0};
    args.groups = 1;
    args.members = members.data();
    launch.template operator()<K>(args, static_cast<int>(members.size()), K::Memory::bytes(rows_that_fit));
    for (Trained* network : all()) {
      launch.expect(network->gradient.data(), arena);
      launch.expect(network->losses.data(), steps * sums);
    }
  }

 private:
  /// By two blocks, half each.
  static void make_order(std::vector<std::uint32_t>& order, std::uint64_t seed, std::uint32_t number,
                         Launcher& launch) {
    const auto size = static_cast<std::uint32_t>(order.size());
    const sinter::internal::gpu_kernels::OrderOfRows asked{
        order.data(), sinter::internal::Permutation(size, seed, number), {}};
    const sinter::internal::gpu_kernels::PieceOfOrder pieces[] = {{0, 0, size / 2}, {0, size / 2, size - size / 2}};
    launch.wanted(order.data(), order.size());
    launch.template operator()<sinter::internal::gpu_kernels::MakeOrders>({&asked, pieces}, 2, 0);
    launch.expect(order.data(), order.size());
    launch.given(order.data(), order.size());
  }
  std::vector<Trained*> all() {
    std::vector<Trained*> networks{this};
    for (Trained& other : others) networks.push_back(&other);
    return networks;
  }
};

}  // namespace sinter_test
