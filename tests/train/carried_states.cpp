// SPDX-License-Identifier: MIT
// labels: threads large sanitized
// Long sequences in chunks: what recurrent layers carry from one batch to the next.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <random>
#include <sinter/io.hpp>
#include <sinter/sinter.hpp>
#include <string>
#include <vector>

#include "data/temporary_folder.hpp"
#include "support/error_of.hpp"
#include "support/pytorch_training.hpp"

using namespace sinter;
using namespace sinter_test;

namespace {

template <class T, class Row>
Tensor<T, Row> random_rows(std::size_t rows, unsigned seed) {
  Tensor<T, Row> x(rows);
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  for (T& value : x.values()) value = static_cast<T>(normal(random));
  return x;
}
/// The same numbers as rows of another shape.
template <class Row, class T, class Whole>
TensorView<const T, Row> rows_of(const Tensor<T, Whole>& x) {
  return {x.data(), x.rows() * Whole::size / Row::size};
}

/// Four sequences in three chunks, two epochs, by a loop of a Trainer and by fit.
template <class Layer, class Precision, class Device>
void check_against_pytorch(const Device& device, const std::string& group, double most) {
  struct Net : Sequential<Input<5, 3>, Layer, PositionwiseLinear<2>> {};
  using T = typename Precision::Scalar;
  constexpr std::size_t sequences = 4, chunks = 3, epochs = 2;
  const Safetensors all(std::string(SINTER_FIXTURES) + "/recurrent.safetensors");
  const auto x = all.values<T>(group + ".x"), target = all.values<T>(group + ".target");
  const auto losses = all.values<double>(group + ".losses"), outputs = all.values<double>(group + ".y");
  const auto begin = [&](Network<Net, Device, Precision>& net) {
    for (auto& p : net.parameters()) {
      const auto values = all.values<T>(group + ".initial." + std::string(p.name));
      REQUIRE(values.size() == p.value.size());
      std::copy(values.begin(), values.end(), p.value.begin());
    }
  };
  CAPTURE(group);

  Network<Net, Device, Precision> by_hand(device, {.seed = 1});
  begin(by_hand);
  Trainer trainer{by_hand, SGD{.lr = 0.1, .momentum = 0.9}};
  trainer.carry_state();
  std::size_t step = 0;
  for (std::size_t epoch = 0; epoch < epochs; ++epoch) {
    trainer.reset_state();
    for (std::size_t chunk = 0; chunk < chunks; ++chunk, ++step) {
      const TensorView<const T, Shape<5, 3>> part{
          .data = x.data() + chunk * 15, .rows = sequences, .row_stride = chunks * 15};
      Tensor<T, Shape<5, 2>> dy(sequences);
      const auto& y = trainer.forward(part);
      const auto* const expected = outputs.data() + step * sequences * 10;
      CHECK(norm_error(as_doubles(y.data(), sequences * 10), as_doubles(expected, sequences * 10)) < most);
      for (std::size_t row = 0; row < sequences; ++row)
        for (std::size_t i = 0; i < 10; ++i)
          dy.data()[row * 10 + i] = (y.data()[row * 10 + i] - target[(row * chunks + chunk) * 10 + i]) / T(20);
      trainer.backward(dy);
      trainer.update();
    }
  }
  check_tensors<Network<Net, Device, Precision>>(by_hand.data(), all, group + ".final", most);

  Network<Net, Device, Precision> net(device, {.seed = 1});
  begin(net);
  const TensorView<const T, Shape<5, 3>> rows{x.data(), sequences * chunks};
  const TensorView<const T, Shape<5, 2>> wanted{target.data(), sequences * chunks};
  const History history =
      fit(net, dataset(rows, wanted), MSELoss{}, SGD{.lr = 0.1, .momentum = 0.9},
          {.batch_size = sequences, .epochs = epochs, .shuffle = false, .interval = 1, .chunks = chunks});
  REQUIRE(history.intervals.size() == losses.size());
  for (std::size_t i = 0; i < losses.size(); ++i)
    CHECK(std::abs(history.intervals[i].loss - losses[i]) < most * losses[i]);
  check_tensors<Network<Net, Device, Precision>>(net.data(), all, group + ".final", most);
}
template <class Precision, class Device>
void check_against_pytorch(const Device& device, double most) {
  check_against_pytorch<RNN<9>, Precision>(device, "chunked_rnn", most);
  check_against_pytorch<GRU<7, LearnedState>, Precision>(device, "chunked_gru", most);
  check_against_pytorch<LSTM<5, NumLayers<2>>, Precision>(device, "chunked_lstm", most);
}

template <class... Layers>
struct Chunk : Sequential<Input<4, 3>, Layers..., PositionwiseLinear<2>> {};
template <class... Layers>
struct Whole : Sequential<Input<20, 3>, Layers..., PositionwiseLinear<2>> {};

template <class Device, class... Layers>
void check_same_as_whole(const Device& device) {
  Network<Chunk<Layers...>, Device> in_chunks(device, {.seed = 3});
  Network<Whole<Layers...>, Device> whole(device, {.seed = 3});
  for (const std::size_t sequences : {1u, 5u, 37u}) {
    const auto x = random_rows<float, Shape<20, 3>>(sequences, 1);
    const auto t = random_rows<float, Shape<20, 2>>(sequences, 2);
    const auto data = dataset(rows_of<Shape<4, 3>>(x), rows_of<Shape<4, 2>>(t));
    const auto y = predict(in_chunks, data, {.chunks = 5});
    const auto expected = predict(whole, x);
    CAPTURE(sequences);
    CHECK(std::memcmp(y.data(), expected.data(), sequences * 40 * sizeof(float)) == 0);
    CHECK(evaluate(in_chunks, data, MSELoss{}, {.chunks = 5}).loss ==
          doctest::Approx(evaluate(whole, dataset(x, t), MSELoss{}).loss).epsilon(1e-6));
    const auto apart = predict(in_chunks, data);
    CHECK(std::memcmp(apart.data(), expected.data(), sequences * 40 * sizeof(float)) != 0);
  }
}

/// The parameters after three batches that carry their states, with rows of more than one tile.
template <class Model, class Device>
std::vector<double> trained(const Device& device, bool by_backward) {
  using Net = Network<Model, Device, Float64>;
  Net net(device, {.seed = 5});
  for (int i = 0; i < Net::Ops::arena_size; ++i) net.data()[i] += 0.1 * std::sin(static_cast<double>(i));
  Trainer trainer{net, MSELoss{}, SGD{.lr = 0.5}};
  trainer.carry_state();
  std::vector<double> all;
  for (unsigned batch = 0; batch < 3; ++batch) {
    auto x = random_rows<double, typename Model::InputRow>(13, batch);
    for (std::size_t row = 0; row < 13; ++row) x(row, 0) = static_cast<double>((row + batch) % 3 + 1);
    const auto t = random_rows<double, typename Model::OutputRow>(13, batch + 7);
    Tensor<double, typename Model::InputRow> dx;
    if (by_backward) {
      trainer.forward(x);
      trainer.backward(t, &dx);
    } else {
      all.push_back(static_cast<double>(trainer.accumulate(x, t, dx)));
    }
    all.insert(all.end(), dx.values().begin(), dx.values().end());
    trainer.update();
  }
  all.insert(all.end(), net.data(), net.data() + Net::Ops::arena_size);
  return all;
}
using Steps = Path<Slice<1, 6>, Reshape<3, 2>>;
/// The length of a row is before its steps, and numbers for its first state are after them.
template <class Layer, class... Beside>
struct Given : Sequential<Input<9>, Recurrent<Layer, Steps, Lengths<Slice<0, 1>>, Beside...>> {};

template <class Model>
void check_against_reference() {
  for (const bool by_backward : {false, true})
    CHECK(norm_error(trained<Model>(Host{.threads = 2}, by_backward), trained<Model>(Reference{}, by_backward)) <
          1e-13);
}

}  // namespace

TEST_CASE("chunks of sequences are trained as by PyTorch's loop with a state that is detached") {
  SUBCASE("reference in double") { check_against_pytorch<Float64>(Reference{}, 1e-6); }
  SUBCASE("host in double") { check_against_pytorch<Float64>(Host{.threads = 2}, 1e-6); }
  SUBCASE("host in float") { check_against_pytorch<Float32>(Host{}, 1e-5); }
}

TEST_CASE("chunks of sequences are evaluated to the bits of the whole") {
  check_same_as_whole<Host, RNN<4>>(Host{.threads = 2});
  check_same_as_whole<Host, GRU<9, LearnedState>, Tanh>(Host{});
  check_same_as_whole<Host, LSTM<17, NumLayers<2>, ProjectionSize<5>>>(Host{});
  check_same_as_whole<Reference, LSTM<3>>(Reference{});
}

TEST_CASE("what is carried gets no gradient, and those of the host are the reference's") {
  check_against_reference<Given<RNN<4>>>();
  check_against_reference<Given<GRU<9, NumLayers<2>, LearnedState>>>();
  check_against_reference<Given<LSTM<5, ProjectionSize<2>>, InitialState<Slice<2, 7>, Tanh>>>();
}

TEST_CASE("fit takes the chunks of a sequence in their order, and those that validate, too") {
  struct Labels : Sequential<Input<4, 3>, GRU<6, FinalState>, Linear<2>> {};
  constexpr std::size_t sequences = 6, chunks = 5;
  const auto x = random_rows<float, Shape<4, 3>>(sequences * chunks, 1);
  std::vector<int> labels(sequences * chunks);
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = x(i, 0, 0) > 0 ? 1 : 0;
  const auto data = dataset(x, labels);
  Network<Labels> net{{.seed = 2}};
  const double loss = evaluate(net, data, CrossEntropyLoss{}, {.chunks = chunks}).loss;
  CHECK(std::abs(loss - evaluate(net, data, CrossEntropyLoss{}).loss) > 1e-4);
  // Without an update to speak of, all orders of the sequences come to the same.
  for (const std::size_t batch_size : {1u, 2u, 6u, 32u}) {
    Network<Labels> still{{.seed = 2}};
    const History history = fit(still, data, CrossEntropyLoss{}, SGD{.lr = 1e-12},
                                {.batch_size = batch_size, .epochs = 2, .validation = &data, .chunks = chunks});
    for (const EpochRecord& epoch : history.epochs) {
      CHECK(epoch.train_loss == doctest::Approx(loss).epsilon(1e-6));
      CHECK(epoch.validation_loss == doctest::Approx(loss).epsilon(1e-6));
    }
  }
  CHECK(score(net, data, {.chunks = chunks}) == evaluate(net, data, CrossEntropyLoss{}, {.chunks = chunks}).accuracy);
  // Steps that the Trainer makes itself, of which the norm is clipped, are the same where it is small.
  const auto weights_by = [&](auto optimizer) {
    Network<Labels> own{NetworkOptions{.seed = 2}};
    fit(own, data, CrossEntropyLoss{}, optimizer,
        {.batch_size = 2, .epochs = 2, .held_out = {.first = 10, .count = 10}, .chunks = chunks});
    return std::vector<float>(own.data(), own.data() + decltype(own)::Ops::arena_size);
  };
  CHECK(weights_by(SGD{.lr = 0.1}) == weights_by(clip_grad_norm(SGD{.lr = 0.1}, 1e6)));
}

TEST_CASE("a training in chunks that was stopped within a sequence continues from the beginning of one") {
  struct Labels : Sequential<Input<4, 3>, LSTM<6, FinalState>, Linear<2>> {};
  struct StopAfter {
    int batches;
    bool on_batch_end(const BatchInfo&) { return --batches != 0; }
  };
  const auto x = random_rows<float, Shape<4, 3>>(30, 1);
  const std::vector<int> labels(30, 1);
  const auto data = dataset(x, labels);
  const auto train = [&](auto&&... callbacks) {
    Network<Labels> net{NetworkOptions{.seed = 2}};
    fit(net, data, CrossEntropyLoss{}, Adam{.lr = 0.01}, {.batch_size = 2, .epochs = 2, .chunks = 5}, callbacks...);
    return std::vector<float>(net.data(), net.data() + decltype(net)::Ops::arena_size);
  };
  const auto whole = train();
  for (const int batches : {3, 5, 7, 15, 28}) {
    const TemporaryFolder folder;
    train(Checkpoint{.path = folder / "run", .every = 1}, StopAfter{batches});
    CAPTURE(batches);
    CHECK(train(Checkpoint{.path = folder / "run", .resume = true}) == whole);
  }
}

TEST_CASE("fit of a Trainer carries states within the sequences of that call alone") {
  struct Net : Sequential<Input<2, 4>, GRU<3>, PositionwiseLinear<1>> {};
  const auto x = random_rows<float, Shape<2, 4>>(12, 1);
  const auto y = random_rows<float, Shape<2, 1>>(12, 2);
  const std::vector<float> weights(12, 2);
  const auto trained = [&](bool keeps_the_trainer) {
    Network<Net> net{NetworkOptions{.seed = 1}};
    Trainer first{net, MSELoss{}, SGD{.lr = 0.1}}, second{net, MSELoss{}, SGD{.lr = 0.1}};
    auto& later = keeps_the_trainer ? first : second;
    fit(first, dataset(x, y), {.batch_size = 4, .chunks = 3});
    fit(later, dataset(x, y, weights), {.batch_size = 4, .epochs = 2, .first_epoch = 1});
    fit(first, dataset(x, y), {.batch_size = 4, .chunks = 3});
    later.step(subset(dataset(x, y), 0, 4));
    return std::vector<float>(net.data(), net.data() + internal::Program<Net>::arena_size);
  };
  CHECK(trained(true) == trained(false));
}

TEST_CASE("a Trainer that carries states says what does not go with that, and its copy carries them, too") {
  struct Steps4 : Sequential<Input<4, 3>, GRU<6, FinalState>, Linear<2>> {};
  struct Both : Sequential<Input<4, 3>, PositionwiseLinear<6>, Tanh, LSTM<2, Bidirectional, FinalState>, Linear<2>> {};
  struct None : Sequential<Input<4, 3>, Flatten, Linear<2>> {};
  const auto x = random_rows<float, Shape<4, 3>>(12, 1);
  const std::vector<int> labels(12);
  const auto data = dataset(x, labels);
  Network<Steps4> net{{.seed = 1}};
  Network<Both> both;
  Network<None> none;
  CHECK(error_of([&] { Trainer(both, CrossEntropyLoss{}, SGD{}).carry_state(); }) ==
        "carry_state() was called, which carries the states of recurrent layers, and layer 2 (LSTM) is Bidirectional, "
        "and its second cell begins at the end of a sequence; leave it out");
  CHECK(error_of([&] { evaluate(none, data, CrossEntropyLoss{}, {.chunks = 3}); }) ==
        "evaluate was given .chunks = 3, which carries the states of recurrent layers, and the network has no RNN, GRU "
        "or LSTM; leave it out");
  CHECK(error_of([&] { predict(net, data, {.chunks = 5}); }) ==
        "predict was given .chunks = 5 and 12 rows; give it whole sequences, a multiple of that many rows");
  const auto refused = [&](std::size_t batch_size, std::size_t chunks, Fold held_out = {}) {
    return error_of([&] {
      fit(net, data, CrossEntropyLoss{}, SGD{}, {.batch_size = batch_size, .held_out = held_out, .chunks = chunks});
    });
  };
  CHECK(refused(2, 0) == "fit was given .chunks = 0; give it the rows of a sequence, 1 or more");
  CHECK(refused(3, 3) ==
        "fit was given .chunks = 3 and 4 sequences, in batches of 3; give it a batch_size that divides them");
  CHECK(refused(1, 3, {.first = 3, .count = 2}) ==
        "fit was given .chunks = 3, and asked to hold out 2 rows from row 3; hold out whole sequences, multiples of "
        "that many rows");
  CHECK(refused(4, 3) == "(no error)");

  Trainer trainer{net, CrossEntropyLoss{}, SGD{}};
  trainer.carry_state();
  trainer.step(x, labels);
  CHECK(
      error_of([&] { trainer.step(subset(data, 0, 5)); }) ==
      "a Trainer that carries states was given a batch of 5 rows after one of 12; give it the next chunk of each row, "
      "or call reset_state()");
  trainer.reset_state();
  trainer.step(subset(data, 0, 5));

  OwningTrainer first{Network<Steps4>{{.seed = 1}}, CrossEntropyLoss{}, SGD{.lr = 0.1}};
  first->carry_state();
  first->step(x, labels);
  OwningTrainer second = first;
  const float loss = first->step(x, labels);
  CHECK(second->step(x, labels) == loss);
  second->carry_state(false);
  CHECK(second->step(x, labels) != first->step(x, labels));
}
