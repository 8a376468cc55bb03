// SPDX-License-Identifier: MIT
// Training steps by `fit`, and inference by `forward` (for a single row also with packed weights), of networks that
// people train on a CPU: wide and narrow perceptrons, small images. Data are random; bench/peers/compare does the same
// with other libraries.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <sinter/inference.hpp>
#include <sinter/io.hpp>
#include <sinter/sinter.hpp>
#include <string>
#include <vector>

#include "support/flops.hpp"
#include "support/networks.hpp"
#include "support/peak.hpp"
#include "support/w1.hpp"

namespace {

using namespace bench;

constexpr std::size_t rows = 4096;
constexpr int epochs = 4;

template <class Model>
auto random_inputs(std::size_t count) {
  Tensor<float, typename Network<Model>::InputRow> x(count);
  std::mt19937 random(1);
  std::normal_distribution<float> number;
  for (std::size_t i = 0; i < count * Network<Model>::InputRow::size; ++i) x.data()[i] = number(random);
  return x;
}

/// Microseconds a step of `fit`, the work done once for each row of the data: gathered, forward, loss, back, update.
template <class Model, class Optimizer>
void train(benchmark::State& state, Optimizer optimizer, std::size_t batch, int threads) {
  Network<Model> net{Host{.threads = threads}, {.seed = 1}};
  // Fewer rows for the largest network: some seconds for each.
  const double flops_of_step = training_flops<Model>() * static_cast<double>(batch);
  const std::size_t most_steps = static_cast<std::size_t>(std::max(2.0, 3e10 / flops_of_step));
  const std::size_t steps = std::clamp<std::size_t>(rows / batch, 1, most_steps), count = steps * batch;
  double seconds = 0, done = 0;
  const auto run = [&](const auto& data, const auto& loss) {
    fit(net, data, loss, optimizer, {.batch_size = batch, .epochs = epochs});
    for (auto _ : state) {
      const double begin = monotonic_seconds();
      fit(net, data, loss, optimizer, {.batch_size = batch, .epochs = epochs});
      const double took = monotonic_seconds() - begin;
      state.SetIterationTime(took);
      seconds += took;
      done += static_cast<double>(epochs * steps);
    }
  };
  const auto x = random_inputs<Model>(count);
  if constexpr (std::is_same_v<Model, Agent> || std::is_same_v<Model, Decoder> || std::is_same_v<Model, Encoder>) {
    Tensor<float, typename Network<Model>::OutputRow> y(count);
    std::mt19937 random(2);
    std::normal_distribution<float> number;
    for (std::size_t i = 0; i < count * Network<Model>::OutputRow::size; ++i) y.data()[i] = number(random);
    run(dataset(x, y), MSELoss{});
  } else {
    std::vector<int> labels(count);
    std::mt19937 random(2);
    for (int& label : labels) label = static_cast<int>(random() % static_cast<unsigned>(Model::output_dims.size()));
    run(dataset(x, labels), CrossEntropyLoss{});
  }
  state.counters["us_per_step"] = seconds / done * 1e6;
  state.counters["percent_of_peak"] =
      100 * training_flops<Model>() * static_cast<double>(batch) * done / (seconds * peak(threads) * 1e9);
}

/// Microseconds of a call of `forward`, and its share of the peak.
template <class Model, class Call>
void time_calls(benchmark::State& state, std::size_t batch, Call forward) {
  const double begin = monotonic_seconds();
  for (auto _ : state) benchmark::DoNotOptimize(forward());
  const double seconds = (monotonic_seconds() - begin) / static_cast<double>(state.iterations());
  state.counters["us"] = seconds * 1e6;
  state.counters["percent_of_peak"] =
      100 * forward_flops<Model>() * static_cast<double>(batch) / (seconds * peak(1) * 1e9);
}
template <class Model>
void infer(benchmark::State& state, std::size_t batch) {
  const Network<Model> net{Host{}, {.seed = 1}};
  const auto x = random_inputs<Model>(batch);
  auto workspace = net.workspace(batch);
  time_calls<Model>(state, batch, [&] { return net.forward(x, workspace); });
}
/// One row, by a View of weights packed for single rows.
template <class Model>
void infer_packed(benchmark::State& state) {
  const std::vector<std::byte> packed = packed_bytes(Network<Model>{Host{}, {.seed = 1}}, Storage::panels);
  const View<Model, Storage::panels> view(packed);
  const auto x = random_inputs<Model>(1);
  static FixedWorkspace<Model, 1> workspace;
  time_calls<Model>(state, 1, [&] { return view.forward(x.view(), workspace); });
}

template <class Model, class Optimizer>
void add_training(const std::string& name, Optimizer optimizer, std::initializer_list<std::size_t> batches) {
  for (const std::size_t batch : batches)
    for (const int threads : {1, 2})
      benchmark::RegisterBenchmark(
          (name + "/train/batch:" + std::to_string(batch) + "/threads:" + std::to_string(threads)).c_str(),
          [=](benchmark::State& state) { train<Model>(state, optimizer, batch, threads); })
          ->UseManualTime()
          ->Unit(benchmark::kMicrosecond);
}
template <class Model>
void add_inference(const std::string& name, std::initializer_list<std::size_t> batches = {1, 64, 800}) {
  const auto add = [&](const std::string& what, auto run) {
    benchmark::RegisterBenchmark((name + what).c_str(), run)->UseRealTime()->Unit(benchmark::kMicrosecond);
  };
  for (const std::size_t batch : batches)
    add("/forward/batch:" + std::to_string(batch), [=](benchmark::State& state) { infer<Model>(state, batch); });
  add("/packed/batch:1", infer_packed<Model>);
}

}  // namespace

int main(int count, char** values) {
  const SGD sgd{.lr = 0.01};
  add_training<Disc<2>>("disc-2", sgd, {100});
  add_training<Disc<4>>("disc-4", sgd, {100});
  add_training<Disc<6>>("disc-6", sgd, {100});
  add_training<Disc<8>>("disc-8", sgd, {100});
  add_training<Disc<10>>("disc-10", sgd, {100});
  add_training<Disc<12>>("disc-12", sgd, {100});
  add_training<Gray>("1024-100-10", SGD{.lr = 0.01, .momentum = 0.9, .nesterov = true}, {128});
  add_training<GrayImages>("gray-cnn", SGD{.lr = 0.015, .momentum = 0.9, .nesterov = true}, {128});
  add_training<LeNet5>("lenet-5", sgd, {64});
  add_training<Vgg>("vgg", sgd, {64});
  add_training<ResNet8>("resnet-8", sgd, {128});
  add_training<Folds>("256-64-64-10", sgd, {8, 32, 64});
  add_training<Folds>("256-64-64-10/adam", Adam{.lr = 0.001}, {8, 32, 64});
  add_training<Agent>("17-64-64-6/adam", Adam{.lr = 0.001}, {256});
  add_training<Digits>("784-1024-1024-10", sgd, {128});
  add_training<Digits>("784-1024-1024-10/adam", Adam{.lr = 0.001}, {128});
  add_training<Tabular>("13-40-20-5", sgd, {37});
  add_training<Mobile>("mobile", sgd, {64});
  add_training<Decoder>("decoder", sgd, {64});
  add_training<Encoder>("encoder", sgd, {64});
  add_inference<W1>("W1");
  add_inference<Policy>("4-64-64-2");
  add_inference<Agent>("17-64-64-6");
  add_inference<Folds>("256-64-64-10");
  add_inference<Digits>("784-1024-1024-10");
  add_inference<LeNet5>("lenet-5");
  add_inference<Vgg>("vgg");
  add_inference<ResNet8>("resnet-8");
  add_inference<Mobile>("mobile");
  add_inference<Decoder>("decoder");
  add_inference<Encoder>("encoder");
  add_inference<Patches>("patches");
  add_inference<LongSequence>("long-sequence", {1, 16});
  benchmark::Initialize(&count, values);
  if (benchmark::ReportUnrecognizedArguments(count, values)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
