// SPDX-License-Identifier: MIT
#include <functional>
#include <sinter/io.hpp>
#include <sinter/sinter.hpp>
#include <string>
#include <vector>

#include "data/temporary_folder.hpp"
#include "int8/networks.hpp"
#include "support/error_of.hpp"

using namespace sinter_test;

namespace {

struct Twins : Shared<Linear<5>, Tanh> {};
struct Net : Sequential<Input<4>, Linear<5>, BatchNorm1d<>, ReLU, Twins, Dropout<0.25>, Twins, Linear<3>> {};
struct Images : Sequential<Input<2, 7, 5>, Conv2d<3, 3, Padding<1>, NoBias>, BatchNorm2d<>, ReLU, FakeQuantize<0, 3>,
                           Residual<Path<Conv2d<3, 3, Padding<1>, Groups<3>>, BatchNorm2d<>>>, ReLU, MaxPool2d<2>,
                           Flatten, Dropout<0.1>, Linear<3>> {};

template <class Model>
auto data_of(std::size_t count) {
  auto x = rows_of<Model>(count);
  std::vector<std::uint8_t> labels(count);
  for (std::size_t i = 0; i < count; ++i) labels[i] = static_cast<std::uint8_t>(i * 7 % 5 % 3);
  return std::pair{std::move(x), std::move(labels)};
}
template <class Net>
std::vector<float> numbers_of(const Net& net) {
  return {net.data(), net.data() + internal::Program<typename Net::Model>::storage_size};
}

/// Rows of weights and their length, as the names of parameters say.
template <class Net>
void for_each_row(Net& net, const std::function<void(std::span<float>)>& function) {
  for (const auto& parameter : net.parameters()) {
    const bool norm = parameter.shape.size() < 2;
    if (norm) continue;
    const std::size_t rows = static_cast<std::size_t>(parameter.shape[0]), size = parameter.value.size() / rows;
    for (std::size_t r = 0; r < rows; ++r) function(parameter.value.subspan(r * size, size));
  }
}
std::vector<float> rounded(std::span<const float> row) {
  double largest = 0;
  for (const float w : row) largest = std::max(largest, std::abs(static_cast<double>(w)));
  std::vector<float> all;
  for (const float w : row) {
    const double step = largest / 127;
    all.push_back(static_cast<float>(step * std::floor(static_cast<double>(w) / step + 0.5)));
  }
  return all;
}
template <class Net>
void round_all(Net& net) {
  for_each_row(net, [](std::span<float> row) { std::ranges::copy(rounded(row), row.begin()); });
}
template <class Net>
bool is_rounded(Net& net) {
  const std::vector<float> before = numbers_of(net);
  round_all(net);
  return same_bits(before, numbers_of(net));
}

/// Asks fit to stop after a number of batches.
struct StopAfter {
  int batches;
  bool on_batch_end(const BatchInfo&) { return --batches != 0; }
};

/// fit with the callback is a loop that moves weights of full precision by the steps of rounded ones.
template <class Model>
void check_definition() {
  const auto [x, labels] = data_of<Model>(11);
  Network<Model> net{{.seed = 5}}, expected{{.seed = 5}}, floats{{.seed = 5}};
  const SGD sgd{.lr = 0.05, .momentum = 0.9};
  const FitOptions<decltype(dataset(x, labels))> options{.batch_size = 4, .epochs = 5};
  fit(net, dataset(x, labels), CrossEntropyLoss{}, sgd, options, FakeQuantizeWeights{net});

  struct Loop {
    Network<Model>* net;
    std::vector<float> exact, before;  // of all parameters
    void begin() {
      exact = numbers_of(*net);
      round_all(*net);
      before = numbers_of(*net);
    }
    void on_batch_end(const BatchInfo&) {
      std::vector<float> moved = numbers_of(*net);
      for (std::size_t i = 0; i < moved.size(); ++i) exact[i] += moved[i] - before[i];
      for_each_row(*net, [&](std::span<float> row) {
        const auto at = row.data() - net->data();
        const std::vector<float> now = rounded({exact.data() + at, row.size()});
        std::ranges::copy(now, row.begin());
      });
      before = numbers_of(*net);
    }
  } loop{&expected, {}, {}};
  loop.begin();
  fit(expected, dataset(x, labels), CrossEntropyLoss{}, sgd, options, loop);
  CHECK(same_bits(numbers_of(net), numbers_of(expected)));
  CHECK(is_rounded(net));

  fit(floats, dataset(x, labels), CrossEntropyLoss{}, sgd, options);
  CHECK_FALSE(is_rounded(floats));
}

template <class Optimizer>
std::vector<float> run(int epochs, const Optimizer& optimizer, const Checkpoint& checkpoint, int batches) {
  const auto [x, labels] = data_of<Images>(17);
  Network<Images> net{NetworkOptions{.seed = 5}};
  fit(net, dataset(x, labels), CrossEntropyLoss{}, optimizer, {.batch_size = 4, .epochs = epochs},
      FakeQuantizeWeights{net}, Checkpoint{checkpoint}, StopAfter{batches});
  return numbers_of(net);
}

}  // namespace

TEST_CASE("weights of full precision move by the steps of the rounded ones") {
  check_definition<Net>();
  check_definition<Images>();
}
TEST_CASE("small steps add up") {
  struct Row : Sequential<Input<2>, Linear<1, NoBias>> {};
  const Tensor<float, Shape<2>> row{{0, 1}};
  Tensor<float, Shape<1>> wanted(1);
  wanted(0, 0) = 3;
  Network<Row> net{{.seed = 1}};
  const auto weight = net.parameter("0.weight");
  weight[0] = 127;  // so that a step of the row is 1
  weight[1] = 0.4f;
  fit(net, dataset(row, wanted), MSELoss{}, SGD{.lr = 0.01}, {.epochs = 100}, FakeQuantizeWeights{net});
  CHECK(weight[0] == 127);
  CHECK(weight[1] == 3);  // by less than 0.1 at a time
}
TEST_CASE("quantize finds the weights that were trained") {
  const auto [x, labels] = data_of<Images>(23);
  Network<Images> net{{.seed = 5}};
  fit(net, dataset(x, labels), CrossEntropyLoss{}, Adam{}, {.batch_size = 6, .epochs = 3}, FakeQuantizeWeights{net});
  CHECK(is_rounded(net));
  const auto quantized = quantize(net, x);
  // The convolution of 18 numbers a row with its normalisation: each number of 8 bits is the weight in its steps.
  std::vector<int> wanted, found;
  const auto gamma = net.parameter("1.weight");
  for (std::size_t r = 0; r < 3; ++r) {
    const auto row = net.parameter("0.weight").subspan(r * 18, 18);
    float largest = 0;
    for (const float w : row) largest = std::max(largest, std::abs(w));
    for (const float w : row)
      wanted.push_back((gamma[r] < 0 ? -1 : 1) * static_cast<int>(std::lround(w / largest * 127)));
  }
  const auto& bytes = quantized.data()->weights;
  found.assign(bytes.data(), bytes.data() + bytes.size());
  for (const int one : {-127, 127, 126, 1, -1, 50}) {
    CAPTURE(one);
    const auto count = std::ranges::count(wanted, one);
    CHECK(std::ranges::count(found, one) >= count);
  }
  CHECK(std::ranges::count(wanted, 127) + std::ranges::count(wanted, -127) >= 3);
}
TEST_CASE("validation sees the rounded weights, and RestoreBest keeps them") {
  const auto [x, labels] = data_of<Images>(23);
  const auto data = dataset(x, labels);
  Network<Images> net{{.seed = 5}};
  RestoreBest best{net};
  const History history = fit(net, data, CrossEntropyLoss{}, SGD{.lr = 0.3},
                              {.batch_size = 6, .epochs = 4, .validation = &data}, FakeQuantizeWeights{net}, best);
  CHECK(is_rounded(net));
  CHECK(evaluate(net, data, CrossEntropyLoss{}).loss ==
        doctest::Approx(history.epochs[static_cast<std::size_t>(best.epoch() - 1)].validation_loss));
}
TEST_CASE("a resumed fit ends with the same bits") {
  for (const int batches : {1, 4, 5, 7}) {
    CAPTURE(batches);
    const auto check = [&](const auto& optimizer) {
      const TemporaryFolder folder;
      const Checkpoint none{.path = folder / "whole"}, some{.path = folder / "run", .every = 3, .resume = true};
      const std::vector<float> whole = run(4, optimizer, none, 0);
      CHECK_FALSE(same_bits(run(4, optimizer, some, batches), whole));
      CHECK(same_bits(run(4, optimizer, some, 0), whole));
    };
    check(Adam{.lr = 0.02});
    check(SGD{.lr = 0.1, .momentum = 0.9});
  }
}
TEST_CASE("a step that is not sound leaves rounded weights") {
  struct Row : Sequential<Input<3>, Linear<2>> {};
  const Tensor<float, Shape<3>> x{{1, 2, -1}};
  const Tensor<float, Shape<2>> y{{3, 5}};
  Network<Row> net{{.seed = 1}};
  const History history = fit(net, dataset(x, y), MSELoss{}, SGD{.lr = 1e30}, {.epochs = 5}, FakeQuantizeWeights{net});
  CHECK_FALSE(history.stopped.empty());
  CHECK(std::abs(net.parameter("0.weight")[0]) > 1e20f);
  CHECK(is_rounded(net));
}
TEST_CASE("a row of zeros, and a network of another callback") {
  const auto [x, labels] = data_of<Net>(3);
  Network<Net> net{{.seed = 5}}, other{{.seed = 6}};
  std::ranges::fill(net.parameter("0.weight"), 0.0f);
  FakeQuantizeWeights weights{net};
  weights.on_begin(TrainingInfo{});
  CHECK(std::ranges::count(net.parameter("0.weight"), 0.0f) == 20);
  internal::KeptNumbers name, keep;
  name.of("FakeQuantizeWeights");
  weights.keep_state(keep);
  CHECK(keep.numbers().size() == name.numbers().size() + 1 + 20 + 25 + 15);  // a Shared is kept once
  CHECK(error_of([&] { fit(other, dataset(x, labels), CrossEntropyLoss{}, SGD{}, {}, weights); }) ==
        "fit was given a FakeQuantizeWeights of another network than the one that it trains; make it of that one: "
        "fit(net, .., FakeQuantizeWeights{net})");
}
