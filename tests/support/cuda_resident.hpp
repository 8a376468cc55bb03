// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sinter/core/shuffle.hpp"
#include "support/cuda_on_host.hpp"

namespace sinter_test {

/// A training run by the plan `resident`: a launch for each epoch.
template <class Model, class T, class Loss, class Optimizer, class Launcher = HostLauncher>
struct ResidentRun {
  using Ops = sinter::Program<Model>;
  static constexpr std::size_t arena = static_cast<std::size_t>(Ops::arena_size);
  static constexpr int states = Optimizer::states;

  std::vector<T> parameters, gradient = std::vector<T>(arena), state = std::vector<T>(arena * states);
  std::vector<double> losses;
  sinter::gpu::Status status{};

  void epoch(const std::vector<float>& x, const std::vector<int>& labels, std::size_t batch, const Optimizer& optimizer,
             std::uint64_t seed, std::uint32_t number, int rows_that_fit, Launcher launch = {}, bool shuffled = true) {
    using Data = sinter::gpu::Rows<float, int, T>;
    using K = sinter::gpu::Resident<Model, T, Data, Loss, typename Optimizer::template Update<T>, states>;
    const std::size_t size = labels.size(), steps = (size + batch - 1) / batch;
    std::vector<typename Optimizer::template Update<T>> updates;
    for (std::size_t s = 0; s < steps; ++s)
      updates.push_back(optimizer.template at<T>(static_cast<long>(status.steps) + static_cast<long>(s)));
    losses.assign(steps, 0);
    typename K::Args args{};
    args.step.data = {x.data(), labels.data(), 1, 0};
    const sinter::gpu::Epoch epoch{shuffled, sinter::Permutation(size, seed, number), {seed, number}};
    args.step.epoch = &epoch;
    args.size = static_cast<std::uint32_t>(size);
    args.batch = static_cast<std::uint32_t>(batch);
    args.of_epoch = static_cast<std::uint32_t>(steps);
    args.steps = static_cast<int>(steps);
    args.rows = rows_that_fit;
    args.updates = updates.data();
    args.groups = 1;
    args.parameters = parameters.data();
    args.gradient = gradient.data();
    args.state = state.data();
    args.losses = losses.data();
    args.status = &status;
    launch.given(x.data(), x.size());
    launch.given(labels.data(), labels.size());
    launch.given(parameters.data(), arena);
    launch.given(state.data(), state.size());
    launch.given(&status, 1);
    launch.wanted(gradient.data(), arena);
    launch.wanted(losses.data(), steps);
    launch.template operator()<K>(args, 1, K::Memory::bytes(rows_that_fit));
    launch.expect(gradient.data(), arena);
    launch.expect(losses.data(), steps);
  }
};

}  // namespace sinter_test
