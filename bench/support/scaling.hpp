// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <iterator>
#include <sinter/sinter.hpp>
#include <thread>
#include <utility>
#include <vector>

#include "timed.hpp"

namespace bench {

/// Seconds until `threads` have done pieces of work, which free threads claim in order.
inline double finished(const std::vector<double>& pieces, int threads) {
  std::vector<double> until(static_cast<std::size_t>(threads), 0.0);
  for (const double piece : pieces) *std::min_element(until.begin(), until.end()) += piece;
  return *std::max_element(until.begin(), until.end());
}

/// Seconds that it takes to hand work to a second thread and to see it done, where no other program delays it (a tenth of
/// the times take less): both threads have an item, which ends when the other has begun.
inline double handover() {
  const sinter::internal::detail::ThreadPool pool(2);
  std::vector<double> times;
  for (int i = 0; i < 2000; ++i) {
    std::atomic<int> begun{0};
    const double begin = sinter::monotonic_seconds();
    pool.run(2, [&](int, int) {
      for (++begun; begun < 2;) std::this_thread::yield();
    });
    times.push_back(sinter::monotonic_seconds() - begin);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 10];
}

/// The seconds of a step, or of an evaluation, by what bounds them.
struct Prediction {
  double tiles = 0;           // as all tiles divided by the threads take
  double uneven = 0;          // more, because threads have whole parts of the batch
  double batch_gradient = 0;  // of weights, from the whole batch
  double sums = 0;            // of the slots of the threads
  double update = 0;          // and the look before it whether weights stay finite
  double serial = 0;          // statistics of the batch, the order of rows, looks at losses
  double handovers = 0;

  double all() const { return tiles + uneven + batch_gradient + sums + update + serial + handovers; }
  const char* bound() const {
    const std::pair<double, const char*> columns[] = {
        {tiles, "work"},    {uneven, "parts of the batch"},   {batch_gradient, "whole-batch dW"}, {sums, "sums"},
        {update, "update"}, {serial, "what one thread does"}, {handovers, "hand-overs"}};
    return std::max_element(std::begin(columns), std::end(columns))->second;
  }
};

/// What a step of a network takes on any number of threads, from the parts of one on one thread. The memory that cores
/// share is taken to be as fast for all of them as for one.
template <class Model>
struct Scaling {
  using Plan = sinter::internal::TilePlan<Model, float, Timed>;
  using Parts = sinter::internal::host_kernels::BatchParts<Plan>;
  using Part = sinter::internal::host_kernels::Part;
  static constexpr int passes = 2 * sinter::internal::Schedule<typename Plan::Cut>::count - 1;
  static constexpr bool shares_arena = Plan::Ops::arena_size >= sinter::internal::host_kernels::least_shared_numbers;

  std::size_t batch;
  TimedSteps timed;
  double handover;

  /// Seconds of a part in a step, the clock's own left out.
  double seconds(Part part, int first = 0, int last = most_stages) const {
    double sum = 0;
    for (int s = first; s < last; ++s) {
      const Spent& found = spent[static_cast<int>(part)][s];
      sum += std::max(0.0, found.seconds - static_cast<double>(found.calls) * timed.look);
    }
    return sum / static_cast<double>(timed.count);
  }
  double of_tiles() const {
    double sum = 0;
    for (const Part part : {Part::masks, Part::load, Part::forward, Part::loss, Part::weight_gradient,
                            Part::input_gradient, Part::both_gradients, Part::slot_sums})
      sum += seconds(part);
    return sum;
  }
  double step() const {
    double looks = 0;
    for (const auto& part : spent)
      for (const Spent& one : part) looks += static_cast<double>(one.calls);
    return timed.step - 2 * timed.look * looks / static_cast<double>(timed.count);
  }
  double sums() const { return seconds(Part::gradient_sum); }
  double update() const { return seconds(Part::update) + seconds(Part::soundness); }
  double batch_gradient() const { return seconds(Part::batch_gradient); }
  double serial() const { return std::max(0.0, step() - of_tiles() - sums() - update() - batch_gradient()); }

  Prediction on(int threads) const {
    const Parts parts(batch, threads, passes > 1);
    if (Parts::alone(batch)) threads = 1;
    const double all = of_tiles(), tile = all / parts.tiles;
    Prediction predicted;
    predicted.tiles = all / threads;
    std::vector<double> pieces;
    for (int part = 0; part < parts.count; ++part)
      pieces.push_back(tile * static_cast<double>(parts.begin(part + 1) - parts.begin(part)));
    predicted.uneven = std::max(0.0, finished(pieces, threads) - predicted.tiles);
    pieces.clear();
    for (int s = 0; s < Plan::stage_count; ++s) {
      const Spent& found = spent[static_cast<int>(Part::batch_gradient)][s];
      const long panels = found.calls / timed.count;
      for (long panel = 0; panel < panels; ++panel)
        pieces.push_back(seconds(Part::batch_gradient, s, s + 1) / static_cast<double>(panels));
    }
    predicted.batch_gradient = finished(pieces, threads);
    const int of_arena = shares_arena ? threads : 1;
    predicted.sums = sums() / of_arena;
    predicted.update = update() / of_arena;
    predicted.serial = serial();
    const int runs = passes + (pieces.empty() ? 0 : 1) + (shares_arena ? 1 + (sums() > 0) : 0);
    predicted.handovers = runs * handover * std::log2(threads);
    return predicted;
  }
};

/// Seconds of a step, and of an evaluation of all rows, on so many threads: the best of some runs.
template <class Model, class Data, class Loss, class Optimizer>
double measured(const Data& data, const Loss& loss, const Optimizer& optimizer, std::size_t batch, int threads,
                double wanted_seconds) {
  using namespace sinter::internal;
  Network<Model> net{Host{.threads = threads}, {.seed = 1}};
  Trainer trainer{net, loss, optimizer};
  const std::size_t steps = data.size() / batch;
  const auto kept = trainer.keep(data);
  double best = 1e9;
  const double begin = monotonic_seconds();
  for (int run = 0; run < 3 || monotonic_seconds() - begin < wanted_seconds; ++run) {
    const double start = monotonic_seconds();
    trainer.steps_on(kept, {.order = {.seed = 1, .epoch = 0, .shuffle = true, .held_out = {}},
                            .first = 0,
                            .batch = batch,
                            .count = steps});
    best = std::min(best, (monotonic_seconds() - start) / static_cast<double>(steps));
  }
  return best;
}
template <class Model, class Data, class Loss>
double measured_evaluation(const Data& data, const Loss& loss, int threads, double wanted_seconds) {
  using namespace sinter::internal;
  const Network<Model> net{Host{.threads = threads}, {.seed = 1}};
  double best = 1e9;
  const double begin = monotonic_seconds();
  for (int run = 0; run < 3 || monotonic_seconds() - begin < wanted_seconds; ++run) {
    const double start = monotonic_seconds();
    evaluate(net, data, loss);
    best = std::min(best, monotonic_seconds() - start);
  }
  return best;
}
/// Rows are evaluated in parts of whole tiles, 8 for each thread.
template <class Model>
double predicted_evaluation(double alone, std::size_t rows, int threads) {
  using namespace sinter::internal;
  constexpr int lanes = TilePlan<Model, float, isa::Native>::lanes;
  const int tiles = static_cast<int>((rows + lanes - 1) / lanes), parts = std::min(tiles, 8 * threads);
  std::vector<double> pieces;
  for (int part = 0; part < parts; ++part)
    pieces.push_back(
        alone / tiles *
        static_cast<double>(host_kernels::part_of(tiles, part + 1, parts) - host_kernels::part_of(tiles, part, parts)));
  return finished(pieces, threads);
}

/// Measures a network on one thread, and prints what that predicts for more, beside what as many cores as there are
/// take.
template <class Model, class Data, class Loss, class Optimizer>
void scaling(const char* name, const Data& data, const Loss& loss, const Optimizer& optimizer, std::size_t batch,
             double wanted_seconds) {
  using Part = sinter::internal::host_kernels::Part;
  batch = std::min(batch, data.size());
  const Scaling<Model> parts{batch, time_steps<Model>(data, loss, optimizer, batch, wanted_seconds), handover()};
  const double evaluation = measured_evaluation<Model>(data, loss, 1, wanted_seconds / 2);
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  const typename Scaling<Model>::Parts one(batch, 1, Scaling<Model>::passes > 1);

  std::printf("%s, batch %zu: %d tiles in %d leaves, %d pass%s; one hand-over %.2f us\n", name, batch, one.tiles,
              one.tree.leaves(), Scaling<Model>::passes, Scaling<Model>::passes == 1 ? "" : "es", 1e6 * parts.handover);
  std::printf(
      "a step on one thread, us: %.1f loading, %.1f masks, %.1f forward, %.1f loss, %.1f gradients, %.1f whole-batch "
      "dW, "
      "%.1f sums of leaves, %.1f sum of threads, %.1f update, %.1f what one thread does\n",
      1e6 * parts.seconds(Part::load), 1e6 * parts.seconds(Part::masks), 1e6 * parts.seconds(Part::forward),
      1e6 * parts.seconds(Part::loss),
      1e6 * (parts.seconds(Part::weight_gradient) + parts.seconds(Part::input_gradient) +
             parts.seconds(Part::both_gradients)),
      1e6 * parts.batch_gradient(), 1e6 * parts.seconds(Part::slot_sums), 1e6 * parts.sums(), 1e6 * parts.update(),
      1e6 * parts.serial());
  std::printf("%8s %10s %8s %10s %10s %7s %7s %7s %7s %10s %10s  %-22s %12s %12s\n", "threads", "step, us", "speed-up",
              "work", "parts", "dW", "sums", "update", "serial", "hand-over", "measured", "mostly", "evaluation",
              "measured");
  for (const int threads : {1, 2, 4, 8, 16, 32, 64}) {
    const Prediction p = parts.on(threads);
    std::printf("%8d %10.1f %8.2f %10.1f %10.1f %7.1f %7.1f %7.1f %7.1f %10.2f", threads, 1e6 * p.all(),
                parts.on(1).all() / p.all(), 1e6 * p.tiles, 1e6 * p.uneven, 1e6 * p.batch_gradient, 1e6 * p.sums,
                1e6 * p.update, 1e6 * p.serial, 1e6 * p.handovers);
    const bool has_cores = threads <= cores;
    has_cores ? std::printf(" %10.1f", 1e6 * measured<Model>(data, loss, optimizer, batch, threads, wanted_seconds / 2))
              : std::printf(" %10s", "");
    std::printf("  %-22s %12.1f", p.bound(), 1e6 * predicted_evaluation<Model>(evaluation, data.size(), threads));
    has_cores ? std::printf(" %12.1f\n", 1e6 * measured_evaluation<Model>(data, loss, threads, wanted_seconds / 2))
              : std::printf("\n");
  }
  std::printf("\n");
}

}  // namespace bench
