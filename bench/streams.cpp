// SPDX-License-Identifier: MIT
// One moment of a stream, and the same computed from a whole window: recurrent cells after 64 steps, and a small WaveNet
// (10 gates of 8 channels, dilations 1 to 512) with a receptive field of 1,024 samples; and 16 streams side by side,
// compared with as many objects of Stream. Times are of one moment, in seconds.
#include <benchmark/benchmark.h>

#include <cmath>
#include <memory>
#include <sinter/inference.hpp>
#include <sinter/io/pack.hpp>
#include <vector>

using namespace sinter;

namespace {
struct Gru8 : Sequential<Input<64, 1>, GRU<8, FinalState>, Linear<1>> {};
struct Gru32 : Sequential<Input<64, 1>, GRU<32, FinalState>, Linear<1>> {};
struct Gru64 : Sequential<Input<64, 1>, GRU<64, FinalState>, Linear<1>> {};
struct Lstm8 : Sequential<Input<64, 1>, LSTM<8, FinalState>, Linear<1>> {};
struct Lstm32 : Sequential<Input<64, 1>, LSTM<32, FinalState>, Linear<1>> {};
struct Lstm64 : Sequential<Input<64, 1>, LSTM<64, FinalState>, Linear<1>> {};

template <int Apart>
struct Gate
    : Product<Path<Conv1d<8, 2, Causal, Dilation<Apart>>, Tanh>, Path<Conv1d<8, 2, Causal, Dilation<Apart>>, Sigmoid>> {
};
template <int Apart>
struct Block : Residual<Path<Gate<Apart>, Conv1d<8, 1>>> {};
template <int Length>
using WaveNet = Sequential<Input<1, Length>, Conv1d<8, 1>, Block<1>, Block<2>, Block<4>, Block<8>, Block<16>, Block<32>,
                           Block<64>, Block<128>, Block<256>, Block<512>, Conv1d<1, 1>>;
struct WaveNet1 : WaveNet<1024> {};        // 1 sample after its receptive field
struct WaveNet64 : WaveNet<1023 + 64> {};  // 64 of them

template <class Model>
struct Trained {
  std::vector<std::byte> bytes = packed_bytes(Network<Model>{{.seed = 1}}, Storage::panels);
  View<Model, Storage::panels> net{bytes};
};

/// `block` moments at a time.
template <class Model>
void stream(benchmark::State& state) {
  const Trained<Model> trained;
  const auto weights = std::make_unique<const StreamWeights<Model>>(trained.net);
  const auto stream = std::make_unique<Stream<Model>>(*weights);
  const auto block = static_cast<std::size_t>(state.range(0));
  std::vector<float> x(block), y(block);
  for (std::size_t i = 0; i < block; ++i) x[i] = std::sin(0.01f * static_cast<float>(i));
  for (auto _ : state) {
    stream->push(x, y);
    benchmark::DoNotOptimize(y.data());
  }
  state.counters["moment"] = benchmark::Counter(
      static_cast<double>(block), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
/// N streams side by side, or as many objects of Stream; the time is that of a moment of all.
template <class Model, int N>
void streams(benchmark::State& state) {
  const Trained<Model> trained;
  const auto weights = std::make_unique<const StreamWeights<Model>>(trained.net);
  const auto all = std::make_unique<Streams<Model, N>>(*weights);
  const auto block = static_cast<std::size_t>(state.range(0));
  std::vector<float> x(N * block, 0.1f), y(N * block);
  for (auto _ : state) {
    all->push(x, y);
    benchmark::DoNotOptimize(y.data());
  }
  state.counters["moment"] = benchmark::Counter(
      static_cast<double>(block), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
template <class Model, int N>
void apart(benchmark::State& state) {
  const Trained<Model> trained;
  const auto weights = std::make_unique<const StreamWeights<Model>>(trained.net);
  std::vector<Stream<Model>> each(N, Stream<Model>(*weights));
  const auto block = static_cast<std::size_t>(state.range(0));
  std::vector<float> x(N * block, 0.1f), y(N * block);
  for (auto _ : state) {
    for (std::size_t i = 0; i < N; ++i) each[i].push({x.data() + i * block, block}, {y.data() + i * block, block});
    benchmark::DoNotOptimize(y.data());
  }
  state.counters["moment"] = benchmark::Counter(
      static_cast<double>(block), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
/// A window, of which the last `block` outputs are new.
template <class Model>
void window(benchmark::State& state) {
  const Trained<Model> trained;
  const auto workspace = std::make_unique<FixedWorkspace<Model, 1>>();
  std::vector<float> x(Model::InputRow::size, 0.5f);
  for (auto _ : state) {
    const auto y = trained.net.forward(TensorView<const float, typename Model::InputRow>{x.data(), 1}, *workspace);
    benchmark::DoNotOptimize(y.data);
  }
  state.counters["moment"] = benchmark::Counter(
      static_cast<double>(state.range(0)), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

BENCHMARK(stream<Gru8>)->Arg(1)->Arg(64);
BENCHMARK(window<Gru8>)->Arg(1);
BENCHMARK(stream<Gru32>)->Arg(1);
BENCHMARK(window<Gru32>)->Arg(1);
BENCHMARK(stream<Gru64>)->Arg(1);
BENCHMARK(window<Gru64>)->Arg(1);
BENCHMARK(stream<Lstm8>)->Arg(1);
BENCHMARK(window<Lstm8>)->Arg(1);
BENCHMARK(stream<Lstm32>)->Arg(1);
BENCHMARK(window<Lstm32>)->Arg(1);
BENCHMARK(stream<Lstm64>)->Arg(1);
BENCHMARK(window<Lstm64>)->Arg(1);
BENCHMARK(stream<WaveNet1>)->Arg(1)->Arg(64)->Arg(512);
BENCHMARK(window<WaveNet1>)->Arg(1);
BENCHMARK(window<WaveNet64>)->Arg(64);
BENCHMARK(streams<Gru8, 16>)->Arg(1)->Arg(64);
BENCHMARK(apart<Gru8, 16>)->Arg(1)->Arg(64);
BENCHMARK(streams<Lstm8, 16>)->Arg(1)->Arg(64);
BENCHMARK(apart<Lstm8, 16>)->Arg(1)->Arg(64);
BENCHMARK(streams<Lstm32, 16>)->Arg(1)->Arg(64);
BENCHMARK(apart<Lstm32, 16>)->Arg(1)->Arg(64);
BENCHMARK(streams<Lstm64, 16>)->Arg(1)->Arg(64);
BENCHMARK(apart<Lstm64, 16>)->Arg(1)->Arg(64);
BENCHMARK(streams<WaveNet1, 16>)->Arg(1)->Arg(64);
BENCHMARK(apart<WaveNet1, 16>)->Arg(1)->Arg(64);
}  // namespace

BENCHMARK_MAIN();
