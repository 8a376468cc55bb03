// SPDX-License-Identifier: MIT
// The recurrent cells of recurrent.py by sinter: a sample at a time by Stream, and steps of training by fit.
#include <cstring>
#include <random>
#include <sinter/inference.hpp>
#include <sinter/io.hpp>
#include <sinter/sinter.hpp>
#include <string>
#include <vector>

#include "../support/peak.hpp"
#include "streams.hpp"

using namespace sinter;

namespace {
template <int N>
struct Gru : Sequential<Input<64, 1>, GRU<N, FinalState>, Linear<1>> {};
template <int N>
struct Lstm : Sequential<Input<64, 1>, LSTM<N, FinalState>, Linear<1>> {};
struct DeepGru : Sequential<Input<100, 32>, GRU<128, NumLayers<2>, FinalState>, Linear<10>> {};
struct DeepLstm : Sequential<Input<100, 32>, LSTM<128, NumLayers<2>, FinalState>, Linear<10>> {};

template <class Net>
struct Memory {
  std::unique_ptr<const StreamWeights<Net>> weights;
  std::unique_ptr<Stream<Net>> stream;

  Memory(const std::string& name, int) {
    const auto net = std::make_unique<Network<Net>>();
    load(*net, name + ".safetensors");
    weights = std::make_unique<const StreamWeights<Net>>(*net);
    stream = std::make_unique<Stream<Net>>(*weights);
  }
  void push(const float* x, float* y, int samples) {
    const auto count = static_cast<std::size_t>(samples);
    stream->push({x, count}, {y, count});
  }
};

/// Microseconds of a step of 32 rows: gathered, forward, loss, back, update.
template <class Net>
double train(double seconds) {
  constexpr std::size_t rows = 640, batch = 32;
  Network<Net> net{Host{.threads = 1}, {.seed = 1}};
  Tensor<float, typename Network<Net>::InputRow> x(rows);
  std::mt19937 random(1);
  std::normal_distribution<float> number;
  for (float& one : x.values()) one = number(random);
  std::vector<int> labels(rows);
  for (int& label : labels) label = static_cast<int>(random() % 10);
  const auto data = dataset(x, labels);
  const auto epoch = [&] { fit(net, data, CrossEntropyLoss{}, SGD{.lr = 0.01}, {.batch_size = batch, .epochs = 1}); };
  return measure(seconds, epoch, processor_seconds) / (rows / batch);
}
}  // namespace

int main(int count, char** words) {
  StreamRows rows;
  rows.add<Memory<Gru<8>>>("GRU8", {1});
  rows.add<Memory<Gru<32>>>("GRU32", {1});
  rows.add<Memory<Gru<64>>>("GRU64", {1});
  rows.add<Memory<Gru<256>>>("GRU256", {1});
  rows.add<Memory<Lstm<8>>>("LSTM8", {1});
  rows.add<Memory<Lstm<32>>>("LSTM32", {1});
  rows.add<Memory<Lstm<64>>>("LSTM64", {1});
  rows.add<Memory<Lstm<256>>>("LSTM256", {1});
  rows.times["GRU train"] = train<DeepGru>;
  rows.times["LSTM train"] = train<DeepLstm>;
  rows.times["peak"] = [](double) {  // microseconds of a thousand million multiply-adds
    double flops = 0;
    return measure(
               0.2, [&] { flops = bench::multiply_add<sinter::isa::Native::wide_bytes / 4>(2000); },
               processor_seconds) /
           flops * 2e9;
  };
  return rows.run(count, words, "sinter");
}
