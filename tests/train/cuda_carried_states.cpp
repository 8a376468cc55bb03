// SPDX-License-Identifier: MIT
// labels: cuda large gpu
// What recurrent layers carry from one batch to the next on Cuda, against Reference and Host.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "data/temporary_folder.hpp"
#include "sinter/io.hpp"
#include "sinter/sinter.cuh"
#include "support/cuda_training.hpp"
#include "support/error_of.hpp"
#include "support/gradient_check.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

template <class... Layers>
struct Chunk : Sequential<Input<4, 3>, Layers..., PositionwiseLinear<2>> {};
template <class... Layers>
struct Whole : Sequential<Input<20, 3>, Layers..., PositionwiseLinear<2>> {};
/// The length of a row is before its steps, and numbers for its first state are after them.
template <class Layer, class... Beside>
struct Given
    : Sequential<Input<9>, Recurrent<Layer, Path<Slice<1, 6>, Reshape<3, 2>>, Lengths<Slice<0, 1>>, Beside...>> {};

template <class Row>
Tensor<double, Row> random_rows(std::size_t rows, unsigned seed) {
  Tensor<double, Row> x(rows);
  Draw draw(seed);
  for (double& value : x.values()) value = draw.symmetric(1.0);
  return x;
}

struct Trace {
  std::vector<double> losses, input, weights;
};
/// Three batches that carry their states, and two of other sequences: by step(), or by accumulate() and update().
template <class Model, class Device>
Trace trained(std::size_t rows, bool at_once) {
  using Net = Network<Model, Device, Float64>;
  Net net{{.seed = 5}};
  Trace trace;
  {
    Trainer trainer{net, MSELoss{}, SGD{.lr = 0.5}};
    trainer.carry_state();
    for (unsigned batch = 0; batch < 5; ++batch) {
      if (batch == 3) trainer.reset_state();
      auto x = random_rows<typename Model::InputRow>(rows, batch);
      if constexpr (Model::InputRow::rank == 1)
        for (std::size_t row = 0; row < rows; ++row) x.data()[row * 9] = static_cast<double>((row + batch) % 3 + 1);
      const auto t = random_rows<typename Model::OutputRow>(rows, batch + 7);
      if (at_once) {
        trace.losses.push_back(static_cast<double>(trainer.step(x, t)));
        continue;
      }
      Tensor<double, typename Model::InputRow> dx;
      trace.losses.push_back(static_cast<double>(trainer.accumulate(x, t, dx)));
      trace.input.insert(trace.input.end(), dx.values().begin(), dx.values().end());
      trainer.update();
    }
  }
  trace.weights = values(net);
  return trace;
}
template <class Model, class Device>
void check_batches() {
  for (const std::size_t rows : {7u, 150u}) {
    CAPTURE(rows);
    const Trace apart = trained<Model, Device>(rows, false), at_once = trained<Model, Device>(rows, true),
                want = trained<Model, Reference>(rows, false);
    CHECK(norm_error(apart.losses, want.losses) < 1e-12);
    CHECK(norm_error(apart.input, want.input) < 1e-11);
    CHECK(norm_error(apart.weights, want.weights) < 1e-11);
    CHECK(norm_error(at_once.losses, want.losses) < 1e-12);
    CHECK(norm_error(at_once.weights, want.weights) < 1e-11);
  }
}

using Labelled = Chunk<GRU<5, LearnedState>, LSTM<4, NumLayers<2>, ProjectionSize<3>, LearnedState>>;
/// More steps in an epoch than a graph has, in batches of few sequences.
struct Series {
  static constexpr std::size_t sequences = 12, chunks = 7;
  Tensor<double, Shape<4, 3>> x = random_rows<Shape<4, 3>>(sequences * chunks, 1);
  Tensor<double, Shape<4, 2>> t = random_rows<Shape<4, 2>>(sequences * chunks, 2);
  auto data() const { return dataset(x, t); }
};
/// The losses of all steps and validations, and the weights after them.
template <class Device, class Optimizer>
std::vector<double> fitted(const Series& series, std::size_t batch_size, bool shuffle, bool held_out, bool validates,
                           const Optimizer& optimizer) {
  Network<Labelled, Device, Float64> net{NetworkOptions{.seed = 3}};
  const auto data = series.data();
  FitOptions<std::remove_const_t<decltype(data)>, decltype(net), MSELoss> options{
      .batch_size = batch_size, .epochs = 4, .shuffle = shuffle, .interval = 1, .chunks = Series::chunks};
  if (held_out) options.held_out = {.first = 2 * Series::chunks, .count = 4 * Series::chunks};
  if (validates) options.validation = &data;
  const History history = fit(net, data, MSELoss{}, optimizer, options);
  std::vector<double> all;
  for (const auto& interval : history.intervals) all.push_back(interval.loss);
  for (const EpochRecord& epoch : history.epochs) {
    all.push_back(epoch.train_loss);
    if (validates || held_out) all.push_back(epoch.validation_loss);
  }
  const auto weights = values(net);
  all.insert(all.end(), weights.begin(), weights.end());
  return all;
}
template <class Device, class Optimizer>
void check_fit(std::size_t batch_size, bool shuffle, bool held_out, bool validates, const Optimizer& optimizer) {
  const Series series;
  CAPTURE(batch_size);
  CHECK(norm_error(fitted<Device>(series, batch_size, shuffle, held_out, validates, optimizer),
                   fitted<Host>(series, batch_size, shuffle, held_out, validates, optimizer)) < 1e-9);
}

template <class Device, class... Layers>
void check_same_as_whole() {
  Network<Chunk<Layers...>, Device> in_chunks{{.seed = 3}};
  Network<Whole<Layers...>, Device> whole{{.seed = 3}};
  Network<Chunk<Layers...>, Host> on_host{{.seed = 3}};
  for (const std::size_t sequences : {1u, 5u, 37u}) {
    const auto x = inputs<Shape<20, 3>>(sequences, 1, 1);
    const auto t = inputs<Shape<20, 2>>(sequences, 1, 2);
    const TensorView<const float, Shape<4, 3>> rows{x.data(), sequences * 5};
    const TensorView<const float, Shape<4, 2>> wanted{t.data(), sequences * 5};
    const auto data = dataset(rows, wanted);
    const auto y = predict(in_chunks, data, {.chunks = 5});
    const auto expected = predict(whole, x);
    CAPTURE(sequences);
    CHECK(std::memcmp(y.data(), expected.data(), sequences * 40 * sizeof(float)) == 0);
    CHECK(evaluate(in_chunks, data, MSELoss{}, {.chunks = 5}).loss ==
          doctest::Approx(evaluate(on_host, data, MSELoss{}, {.chunks = 5}).loss).epsilon(1e-6));
    const auto apart = predict(in_chunks, data);
    CHECK(std::memcmp(apart.data(), expected.data(), sequences * 40 * sizeof(float)) != 0);
  }
}

}  // namespace

TEST_CASE_TEMPLATE("batches begin with the states of those before, as on Reference", Device, CudaWith<CudaPlan::pair>,
                   CudaWith<CudaPlan::layers>) {
  const FreshCuda cuda_runtime;
  check_batches<Chunk<RNN<4, NumLayers<2>>>, Device>();
  check_batches<Chunk<GRU<5, NumLayers<2>, LearnedState>>, Device>();
  check_batches<Chunk<LSTM<4, NumLayers<2>>>, Device>();
  check_batches<Given<RNN<4>>, Device>();
  check_batches<Given<LSTM<5, NumLayers<2>, ProjectionSize<2>, LearnedState>>, Device>();
  check_batches<Given<LSTM<5, ProjectionSize<2>>, InitialState<Slice<2, 7>, Tanh>>, Device>();
}

TEST_CASE_TEMPLATE("fit in chunks is that of the host", Device, CudaWith<CudaPlan::resident>, CudaWith<CudaPlan::pair>,
                   CudaWith<CudaPlan::layers>) {
  const FreshCuda cuda_runtime;
  check_fit<Device>(3, true, false, false, Adam{.lr = 0.01});
  check_fit<Device>(2, true, true, false, SGD{.lr = 0.1});
  check_fit<Device>(12, false, false, true, SGD{.lr = 0.1});
  check_fit<Device>(1, false, true, true, SGD{.lr = 0.1});
  check_fit<Device>(2, true, false, true, clip_grad_norm(SGD{.lr = 0.1}, 0.1));
}

TEST_CASE("a training in chunks that was stopped within a sequence continues from the beginning of one") {
  const FreshCuda cuda_runtime;
  struct StopAfter {
    int batches;
    bool on_batch_end(const BatchInfo&) { return --batches != 0; }
  };
  const Series series;
  const auto train = [&](auto&&... callbacks) {
    Network<Labelled, Cuda> net{NetworkOptions{.seed = 2}};
    fit(net, series.data(), MSELoss{}, Adam{.lr = 0.01}, {.batch_size = 2, .epochs = 2, .chunks = Series::chunks},
        callbacks...);
    return values(net);
  };
  const auto whole = train();
  for (const int batches : {3, 7, 45, 80}) {
    const TemporaryFolder folder;
    train(Checkpoint{.path = folder / "run", .every = 1}, StopAfter{batches});
    CAPTURE(batches);
    CHECK(train(Checkpoint{.path = folder / "run", .resume = true}) == whole);
  }
}

TEST_CASE("chunks of sequences are evaluated to the bits of the whole") {
  const FreshCuda cuda_runtime;
  check_same_as_whole<Cuda, RNN<4>>();
  check_same_as_whole<Cuda, GRU<9, LearnedState>, Tanh>();
  check_same_as_whole<Cuda, LSTM<17, NumLayers<2>, ProjectionSize<5>>>();
}

TEST_CASE("where a row does not fit in a block's memory, the grid carries states") {
  const FreshCuda cuda_runtime;
  struct Long : Sequential<Input<400, 2>, LSTM<40, FinalState>, Linear<1>> {};
  const auto x = inputs<Long::InputRow>(12, 1, 1);
  const auto t = inputs<Long::OutputRow>(12, 1, 2);
  const auto data = dataset(x, t);
  const Network<Long, Cuda> net{{.seed = 1}};
  const Network<Long> host{{.seed = 1}};
  const auto got = predict(net, data, {.chunks = 3}), want = predict(host, data, {.chunks = 3});
  CHECK(norm_error(got.values(), want.values()) < 1e-5);
  CHECK(evaluate(net, data, MSELoss{}, {.chunks = 3}).loss ==
        doctest::Approx(evaluate(host, data, MSELoss{}, {.chunks = 3}).loss).epsilon(1e-5));
}

TEST_CASE("data in the memory of the device, and labels, are taken in chunks, too") {
  const FreshCuda cuda_runtime;
  struct Labels : Sequential<Input<4, 3>, GRU<6, FinalState>, Linear<2>> {};
  constexpr std::size_t sequences = 6, chunks = 5;
  const auto x = inputs<Labels::InputRow>(sequences * chunks, 1, 1);
  const auto labels = labels_for(sequences * chunks, 2);
  const auto data = dataset(x, labels);
  const auto trained = [&](auto& net, const auto& rows) {
    fit(net, rows, CrossEntropyLoss{}, SGD{.lr = 0.1}, {.batch_size = 2, .epochs = 2, .chunks = chunks});
    return evaluate(net, rows, CrossEntropyLoss{}, {.chunks = chunks});
  };
  Network<Labels, Cuda> cuda{{.seed = 2}}, there{{.seed = 2}};
  Network<Labels> host{{.seed = 2}};
  const Evaluation got = trained(cuda, data), want = trained(host, data);
  CHECK(got.loss == doctest::Approx(want.loss).epsilon(1e-5));
  CHECK(got.accuracy == want.accuracy);
  CHECK(score(cuda, data, {.chunks = chunks}) == want.accuracy);
  CHECK(norm_error(values(cuda), values(host)) < 1e-5);

  CudaArray<float> x_there(there.device(), x.values().size());
  x_there.upload(x.data(), x.values().size());
  const TensorView<const float, Labels::InputRow, CudaMemory> rows{x_there.data(), sequences * chunks};
  CHECK(trained(there, dataset(rows, labels)).loss == got.loss);
  CHECK(values(there) == values(cuda));
}

TEST_CASE("a Trainer on Cuda that carries states says what does not go with that, and its copy carries them, too") {
  const FreshCuda cuda_runtime;
  struct Steps4 : Sequential<Input<4, 3>, GRU<6, FinalState>, Linear<2>> {};
  struct Both : Sequential<Input<4, 3>, LSTM<2, Bidirectional, FinalState>, Linear<2>> {};
  const auto x = inputs<Steps4::InputRow>(12, 1, 1);
  const std::vector<int> labels(12);
  const auto data = dataset(x, labels);
  Network<Both, Cuda> both;
  CHECK(error_of([&] { Trainer(both, CrossEntropyLoss{}, SGD{}).carry_state(); }).find("is Bidirectional") !=
        std::string::npos);
  CHECK(error_of([&] { evaluate(both, data, CrossEntropyLoss{}, {.chunks = 3}); }).find("is Bidirectional") !=
        std::string::npos);

  Network<Steps4, Cuda> net{{.seed = 1}};
  {
    Trainer trainer{net, CrossEntropyLoss{}, SGD{}};
    trainer.carry_state();
    trainer.step(x, labels);
    CHECK(error_of([&] { trainer.step(subset(data, 0, 5)); }).find("a batch of 5 rows after one of 12") !=
          std::string::npos);
    trainer.reset_state();
    trainer.step(subset(data, 0, 5));
  }

  OwningTrainer first{Network<Steps4, Cuda>{{.seed = 1}}, CrossEntropyLoss{}, SGD{.lr = 0.1}};
  first->carry_state();
  first->step(x, labels);
  OwningTrainer second = first;
  const float loss = first->step(x, labels);
  CHECK(float(second->step(x, labels)) == loss);
  second->carry_state(false);
  CHECK(float(second->step(x, labels)) != float(first->step(x, labels)));
}

TEST_CASE("a step that carries states is not captured") {
  const FreshCuda cuda_runtime;
  struct Model : Sequential<Input<4, 3>, GRU<6, FinalState>, Linear<2>> {};
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  {
    const Cuda device{0, stream};
    Network<Model, Cuda> net{device, {.seed = 1}};
    CudaArray<float> x(device, 24), t(device, 4);
    const TensorView<const float, Model::InputRow, CudaMemory> rows{x.data(), 2};
    const TensorView<const float, Model::OutputRow, CudaMemory> wanted{t.data(), 2};
    Trainer trainer{net, MSELoss{}, SGD{.lr = 0.1}};
    trainer.carry_state();
    trainer.step(rows, wanted);
    REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
    CHECK(error_of([&] { trainer.step(rows, wanted); }).find("a graph would begin each time with the same ones") !=
          std::string::npos);
    cudaGraph_t graph = nullptr;
    CHECK(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
    CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  }
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}
