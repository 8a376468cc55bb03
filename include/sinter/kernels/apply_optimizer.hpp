// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "sinter/kernels/step_arguments.hpp"
#include "sinter/model/program.hpp"
#include "sinter/optimizer/computed_anywhere.hpp"
#include "sinter/optimizer/facts.hpp"

SINTER_NAMESPACE_BEGIN

/// Whether an update reads or writes the state of its optimizer: SGD without momentum does not.
template <class Update>
SINTER_FN bool uses_state(const Update& update) {
  if constexpr (requires { update.uses_state(); })
    return update.uses_state();
  else
    return true;
}

/// An optimizer whose rate has the factor of one parameter.
template <ComputedAnywhere Optimizer>
SINTER_HOST_DEVICE Optimizer with_rate_factor(Optimizer optimizer, double factor) {
  optimizer.lr *= factor;
  return optimizer;
}
template <class Optimizer>
  requires(!ComputedAnywhere<Optimizer>)
Optimizer with_rate_factor(Optimizer optimizer, double factor) {
  optimizer.lr *= factor;
  return optimizer;
}

/// The number of different updates of steps [step, step + count), until they stay the same.
template <class Optimizer>
std::size_t changes(long step, std::size_t count) {
  constexpr long settled = settled_step<Optimizer>;
  return std::min(count, static_cast<std::size_t>(std::max(settled - step, 0L)) + 1);
}

/// Whether updates never stay the same.
template <class Optimizer>
inline constexpr bool always_changes = settled_step<Optimizer> == std::numeric_limits<long>::max();

/// What an update knows of a model: the numbers of its arena, and where each parameter is.
struct ArenaLayout {
  int size;
  std::span<const Parameter> parameters;
};
template <class Model>
inline constexpr ArenaLayout arena_layout{Program<Model>::arena_size, Program<Model>::parameters};

/// Lets an optimizer run over the arenas of a model, in ranges of an engine of the host. Parameters whose rate has the
/// factor 0 stay as they are.
template <class Number, class Engine, class Optimizer>
void apply_optimizer(const Engine& engine, ArenaLayout layout, const UpdateStep<Optimizer>& given,
                     const Arenas<Number>& arenas) {
  using T = std::remove_const_t<Number>;
  const std::vector<double>& factors = given.factors;
  const auto update = [&](const Optimizer& one, int begin, int end) {
    engine.template update<Optimizer::states>(one.template at<T>(given.step), arenas.parameters, arenas.gradient,
                                              arenas.state, begin, end);
  };
  engine.for_each_range([&](int begin, int end) {
    if (factors.empty()) return update(given.optimizer, begin, end);
    for (std::size_t i = 0; i < factors.size(); ++i) {
      const Parameter& p = layout.parameters[i];
      const int first = std::max(begin, p.offset),
                last = std::min(end, p.offset + round_up(p.size, parameter_alignment));
      if (factors[i] != 0 && first < last) update(with_rate_factor(given.optimizer, factors[i]), first, last);
    }
  });
}

SINTER_NAMESPACE_END
