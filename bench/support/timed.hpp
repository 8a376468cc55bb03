// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <sinter/sinter.hpp>

namespace bench {

/// The instruction set of this program, with a clock in every part of a training step.
struct Timed : sinter::isa::Native {};

struct Spent {
  double seconds = 0;
  long calls = 0;
};
inline constexpr int most_stages = 128;
inline constexpr int parts = static_cast<int>(sinter::internal::host_kernels::Part::update) + 1;
inline Spent spent[parts][most_stages];

}  // namespace bench

SINTER_NAMESPACE_BEGIN

template <>
struct host_kernels::Watch<bench::Timed> {
  explicit Watch(Part part, int stage = 0) : spent(bench::spent[static_cast<int>(part)][stage]) {}
  ~Watch() {
    spent.seconds += monotonic_seconds() - begin;
    ++spent.calls;
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  bench::Spent& spent;
  double begin = monotonic_seconds();
};

SINTER_NAMESPACE_END

namespace bench {

/// Seconds of a step and of a look at the clock, and how many steps were made.
struct TimedSteps {
  double step, look;
  long count;
};

/// Trains a network on one thread for about `seconds`; `spent` has the parts of all steps. A watch has half of a pair of
/// looks at the clock in what it measures, and the other half outside.
template <class Model, class Data, class Loss, class Optimizer>
TimedSteps time_steps(const Data& data, const Loss& loss, const Optimizer& optimizer, std::size_t batch,
                      double seconds) {
  using namespace sinter::internal;
  Network<Model, HostFor<Timed>> net{HostFor<Timed>{.threads = 1}, {.seed = 1}};
  Trainer trainer{net, loss, optimizer};
  // The steps of an epoch, in calls as fit() makes them.
  const auto kept = trainer.keep(data);
  const long steps_of_epoch = static_cast<long>(data.size() / batch);
  const auto epoch = [&] {
    trainer.steps_on(kept, {.order = {.seed = 1, .epoch = 0, .shuffle = true, .held_out = {}},
                            .first = 0,
                            .batch = batch,
                            .count = static_cast<std::size_t>(steps_of_epoch)});
  };
  epoch();  // allocates
  double look = 1;
  for (int i = 0; i < 1000; ++i) {
    const double begin = monotonic_seconds(), end = monotonic_seconds();
    look = std::min(look, end - begin);
  }
  for (auto& part : spent)
    for (Spent& one : part) one = {};
  long steps = 0;
  const double begin = monotonic_seconds();
  while (steps == 0 || monotonic_seconds() - begin < seconds) {
    epoch();
    steps += steps_of_epoch;
  }
  return {(monotonic_seconds() - begin) / static_cast<double>(steps), look, steps};
}

}  // namespace bench
