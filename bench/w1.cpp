// SPDX-License-Identifier: MIT
// The workload W1 by Google Benchmark: training steps, an epoch of fit, inference, latency. --data DIR: the full MNIST.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <sinter/sinter.hpp>
#include <string>
#include <vector>

#include "support/peak.hpp"
#include "support/w1.hpp"

namespace {

using namespace bench;

/// Counters from seconds of this benchmark's own clock, whatever time Google Benchmark goes by.
void count(benchmark::State& state, double flops, double seconds, int threads) {
  const double rate = flops / seconds * 1e-9;
  state.counters["GFLOP/s"] = rate;
  state.counters["percent_of_peak"] = 100 * rate / peak(threads);
}

/// One step on the next batch of a shuffled order that walks through the set.
void train(benchmark::State& state, const Mnist& digits, std::size_t batch, int threads) {
  Network<W1> net{Host{.threads = threads}, {.seed = 1}};
  Trainer trainer{net, NLLLoss{}, SGD{.lr = 0.01, .momentum = 0.5}};
  std::vector<std::uint32_t> order(digits.train.size());
  std::uint32_t epoch = 0;
  std::size_t next = order.size();
  double samples = 0, begin = 0;
  const auto step = [&] {
    if (next + batch > order.size()) {
      const Permutation permutation(order.size(), net.seed(), epoch++);
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(permutation(i));
      next = 0;
    }
    const std::uint32_t* const rows = order.data() + next;
    benchmark::DoNotOptimize(trainer.step_on(digits.train, {rows}, batch, rows, epoch));
    next += batch;
  };
  step();  // allocates
  begin = monotonic_seconds();
  for (auto _ : state) {
    step();
    samples += static_cast<double>(batch);
  }
  const double seconds = monotonic_seconds() - begin;
  count(state, training_flops<W1>() * samples, seconds, threads);
  state.counters["seconds_per_epoch"] = seconds / samples * static_cast<double>(order.size());
}

/// An epoch through the public fit, or the part of it that 6,000 steps are.
void fit_epoch(benchmark::State& state, const Mnist& digits, std::size_t batch, int threads) {
  Network<W1> net{Host{.threads = threads}, {.seed = 1}};
  const auto data = subset(digits.train, 0, std::min(digits.train.size(), 6000 * batch));
  double seconds = 0, epochs = 0;
  for (auto _ : state) {
    const double begin = monotonic_seconds();
    fit(net, data, NLLLoss{}, SGD{.lr = 0.01, .momentum = 0.5},
        {.batch_size = batch, .first_epoch = static_cast<int>(epochs)});
    seconds += monotonic_seconds() - begin;
    ++epochs;
  }
  const double samples = epochs * static_cast<double>(data.size());
  count(state, training_flops<W1>() * samples, seconds, threads);
  state.counters["seconds_per_epoch"] = seconds / samples * static_cast<double>(digits.train.size());
}

/// The 10,000 test images in batches, by the public predict.
void infer(benchmark::State& state, const Mnist& digits, std::size_t batch, int threads) {
  const Network<W1> net{Host{.threads = threads}, {.seed = 1}};
  const std::size_t size = digits.test.size();
  double seconds = 0, images = 0;
  for (auto _ : state) {
    const double begin = monotonic_seconds();
    for (std::size_t first = 0; first < size; first += batch) {
      const auto scores = predict(net, subset(digits.test, first, std::min(batch, size - first)));
      benchmark::DoNotOptimize(scores.data());
    }
    seconds += monotonic_seconds() - begin;
    images += static_cast<double>(size);
  }
  count(state, forward_flops<W1>() * images, seconds, threads);
  state.counters["images/s"] = images / seconds;
}

/// One image at a time on a prepared workspace; each call timed, the clock's own time (about 25 ns) in it.
void latency(benchmark::State& state, const Mnist& digits) {
  const Network<W1> net{{.seed = 1}};
  auto workspace = net.workspace(1);
  constexpr std::size_t images = 64, pixels = 28 * 28, most = 1 << 20;
  Tensor<float, Shape<1, 28, 28>> x(images);
  const auto scale = digits.test.normalize();
  for (std::size_t i = 0; i < images * pixels; ++i)
    x.data()[i] = fn::fma(static_cast<float>(digits.test.inputs().data[i]), scale.scale, scale.shift);

  std::vector<float> times(most);
  std::size_t calls = 0;
  double total = 0;
  for (auto _ : state) {
    const auto image = x.view().slice(calls % images, 1);
    const double begin = monotonic_seconds();
    const auto y = net.forward(image, workspace);
    benchmark::DoNotOptimize(y.data);
    benchmark::ClobberMemory();
    const double seconds = monotonic_seconds() - begin;
    times[calls++ % most] = static_cast<float>(seconds);
    total += seconds;
  }
  times.resize(std::min(calls, most));
  std::sort(times.begin(), times.end());
  const auto percentile = [&](std::size_t p) { return 1e6 * static_cast<double>(times[times.size() * p / 100]); };
  state.counters["p50_us"] = percentile(50);
  state.counters["p99_us"] = percentile(99);
  count(state, forward_flops<W1>() * static_cast<double>(calls), total, 1);
}

}  // namespace

int main(int argument_count, char** arguments) try {
  const Mnist all = digits(argument_count, arguments);
  for (const int threads : {1, 2}) {
    const auto add = [&](const std::string& name, auto function, std::size_t batch) {
      const std::string full = name + "/batch:" + std::to_string(batch) + "/threads:" + std::to_string(threads);
      benchmark::RegisterBenchmark(full.c_str(), [&all, function, batch, threads](benchmark::State& state) {
        function(state, all, batch, threads);
      })->Unit(benchmark::kMillisecond);
    };
    add("train/W1", train, 200);
    for (const std::size_t batch : {200, 50, 1}) add("fit/W1", fit_epoch, batch);
    add("infer/W1", infer, 800);
  }
  benchmark::RegisterBenchmark("latency/W1", [&all](benchmark::State& state) {
    latency(state, all);
  })->Unit(benchmark::kMicrosecond);

  benchmark::Initialize(&argument_count, arguments);
  if (benchmark::ReportUnrecognizedArguments(argument_count, arguments)) return 2;
  benchmark::AddCustomContext("instruction set", isa::Native::name);
  benchmark::AddCustomContext("peak of 1 thread, GFLOP/s", std::to_string(peak(1)));
  benchmark::AddCustomContext("peak of 2 threads, GFLOP/s", std::to_string(peak(2)));
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
