// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "sinter/core/aligned.hpp"
#include "sinter/model/program.hpp"
#include "sinter/network/precision.hpp"
#include "sinter/optimizer/moving_average.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Gives the network of a moving_average() the average, from the optimizer's state in host memory. Frozen parameters,
/// buffers, and before the first step everything, are copied from the network that is trained.
template <class Net, class Optimizer, class T>
void store_average(const Net& trained, const Optimizer& optimizer, const T* state, const std::vector<double>& factors,
                   long steps) {
  using Ops = Program<typename Net::Model>;
  using Other = typename std::remove_pointer_t<decltype(optimizer.averaged)>::Scalar;
  check_averaged(optimizer, &trained);  // it may have been assigned to
  std::vector<Other> all(static_cast<std::size_t>(Ops::storage_size));
  const auto copy = [&](const auto* from, int offset, int size) {
    std::transform(from + offset, from + offset + size, all.begin() + offset,
                   [](auto value) { return static_cast<Other>(value); });
    check_narrowed(from + offset, all.data() + offset, size,
                   "moving_average has a weight that is too large for the floats of the network for the average; give "
                   "it a Network<Model, Host, Float64>");
  };
  const auto& now = trained.to_host();
  copy(now.data(), 0, Ops::storage_size);
  if (steps > 0 && state != nullptr) {
    const T* average = state + static_cast<std::ptrdiff_t>(Optimizer::average_state) * Ops::arena_size;
    for (std::size_t i = 0; i < Ops::parameters.size(); ++i)
      if (factors.empty() || factors[i] != 0) copy(average, Ops::parameters[i].offset, Ops::parameters[i].size);
  }
  optimizer.averaged->from_host(all);
}

/// The average of parameters that were frozen, and are not any more, goes on from their weights: no update has changed
/// it. `before` are the factors of then.
template <class State>
void average_unfrozen(State& at, const std::vector<double>& before) {
  using Net = std::remove_pointer_t<decltype(at.net)>;
  std::vector<std::size_t> which;
  for (std::size_t i = 0; i < before.size(); ++i)
    if (before[i] == 0 && at.factors[i] != 0) which.push_back(i);
  if (which.empty()) return;
  at.look();
  const auto take_weights = [&](auto* state) {
    const auto& now = at.net->to_host();
    auto* const average = state + static_cast<std::ptrdiff_t>(at.optimizer.average_state) * Net::Ops::arena_size;
    for (const std::size_t i : which)
      std::copy_n(now.data() + Net::Ops::parameters[i].offset, Net::Ops::parameters[i].size,
                  average + Net::Ops::parameters[i].offset);
  };
  if constexpr (Net::on_host) {
    take_weights(at.state.data());
  } else {
    AlignedArray<typename Net::Scalar> state = Net::Engine::to_host(at.state);
    take_weights(state.data());
    at.state = Net::Engine::to_device(at.net->device(), std::move(state));
  }
}

}  // namespace detail

SINTER_NAMESPACE_END
