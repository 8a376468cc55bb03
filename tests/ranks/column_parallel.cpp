// SPDX-License-Identifier: MIT
// labels: threads large
#include "sinter/ranks/column_parallel.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <mutex>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "data/temporary_folder.hpp"
#include "ranks/divided.hpp"
#include "sinter/io/fit_checkpoint.hpp"
#include "sinter/layers/activation.hpp"
#include "sinter/layers/batch_norm.hpp"
#include "sinter/layers/conv1d.hpp"
#include "sinter/layers/dropout.hpp"
#include "sinter/layers/embedding.hpp"
#include "sinter/layers/flatten.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/loss/cross_entropy.hpp"
#include "sinter/loss/mse.hpp"
#include "sinter/network/describe.hpp"
#include "sinter/optimizer/adam.hpp"
#include "sinter/optimizer/clip_grad.hpp"
#include "sinter/optimizer/moving_average.hpp"
#include "sinter/optimizer/sgd.hpp"
#include "sinter/parallel/ensemble.hpp"
#include "sinter/parallel/fit_ensemble.hpp"
#include "sinter/ranks/describe_column_parallel.hpp"
#include "sinter/ranks/threads.hpp"
#include "sinter/train/fit.hpp"
#include "support/error_of.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

struct Perceptron : Sequential<Input<13>, Linear<1031>, ReLU, Dropout<0.2>, Linear<17>, Tanh, Linear<7>> {};
struct Small : Sequential<Input<9>, Tanh, Linear<7>, LogSoftmax, Linear<5, NoBias>> {};
struct Images : Sequential<Input<1, 3, 4>, Flatten, Linear<7>, Linear<5>> {};
struct One : Sequential<Input<7>, Linear<1>> {};
struct Texts : Sequential<Input<6>, Embedding<50, 11>, Flatten, Linear<40>, ReLU, Linear<5>> {};
struct Series : Sequential<Input<6>, Embedding<50, 5, ChannelsFirst>, Flatten, Dropout<0.3>, Linear<5>> {};
struct Convolutional
    : Sequential<Input<2, 30>, Conv1d<4, 3>, BatchNorm1d<>, ReLU, Flatten, Linear<90>, ReLU, Linear<5>> {};

/// Numbers of words, or any numbers.
template <class Row>
Tensor<float, Row> words_or_numbers(std::size_t rows) {
  auto x = inputs<Row>(rows);
  if constexpr (std::is_same_v<Row, Shape<6>>)
    for (float& v : x.values()) v = std::floor((v + 1) * 25);
  return x;
}

/// train(net) on the undivided network, and on so many ranks, each of which has some of the parts: the numbers that it
/// returns and those of the network are the same.
template <class Model, class Wide, int Parts, class Precision = Float32>
void check_same_bits(auto&& train, std::initializer_list<int> rank_counts) {
  Network<Model, Host, Precision> whole{{.seed = 7}};
  const std::vector<double> losses = train(whole);
  const auto expected = all_of(whole);
  for (const int ranks : rank_counts) {
    CAPTURE(ranks);
    std::mutex mutex;
    int right = 0;
    Threads(ranks).run([&](Communicator& world) {
      Network<Model, ColumnParallel<Wide, Parts>, Precision> net{{world, Host{.threads = 1 + world.rank() % 2}},
                                                                 {.seed = 7}};
      const bool begins = same(all_of(net), all_of(Network<Model, Host, Precision>{{.seed = 7}}));
      const std::vector<double> own = train(net);
      const auto numbers = all_of(net);
      const std::lock_guard lock(mutex);
      right += begins && same(numbers, expected) && same(own, losses);
    });
    CHECK(right == ranks);
  }
}

auto fitted(std::size_t rows, std::size_t batch, const auto& optimizer) {
  return [=](auto& net) {
    const auto x = words_or_numbers<typename std::remove_reference_t<decltype(net)>::InputRow>(rows);
    const auto labels = labels_for(rows, 5);
    const auto data = dataset(x, labels);
    const History history =
        fit(net, data, CrossEntropyLoss{}, optimizer, {.batch_size = batch, .epochs = 3, .validation = &data});
    std::vector<double> numbers;
    for (const EpochRecord& record : history.epochs)
      numbers.insert(numbers.end(), {record.train_loss, record.validation_loss, record.validation_accuracy});
    return numbers;
  };
}

}  // namespace

TEST_CASE("Parts of wide layers train the bits of the undivided network, on any number of ranks") {
  const auto by_adam = fitted(70, 32, Adam{.lr = 0.01});  // the last batch has 6 rows
  const auto by_sgd = fitted(70, 33, SGD{.lr = 0.05, .momentum = 0.9});
  check_same_bits<Perceptron, At<0, 3, 5>, 5>(by_adam, {1, 2, 3, 5});
  check_same_bits<Perceptron, At<0, 3, 5>, 5>(by_sgd, {3});
  check_same_bits<Perceptron, At<3>, 2>(by_sgd, {1, 2});
  check_same_bits<Small, At<1, 3>, 5>(by_sgd, {1, 2, 5});
  check_same_bits<Small, At<1>, 7, Float64>(by_adam, {7});
  check_same_bits<Images, At<1, 2>, 2>(by_sgd, {2});
}

TEST_CASE("A batch of one row, of many, and a layer of one output") {
  check_same_bits<Small, At<1, 3>, 5>(fitted(5, 1, Adam{}), {3});
  check_same_bits<Small, At<1, 3>, 5>(fitted(1100, 700, Adam{}), {2});
  const auto x = inputs<Shape<7>>(40), y = inputs<Shape<7>>(40, 1, 2);
  const auto steps = [&](auto& net) {
    Tensor<float, Shape<1>> targets(40);
    std::copy_n(y.data(), 40, targets.data());
    Trainer trainer{net, MSELoss{}, SGD{.lr = 0.1, .momentum = 0.9}};
    std::vector<double> losses;
    for (int step = 0; step < 4; ++step) losses.push_back(trainer.step(x, targets));
    return losses;
  };
  check_same_bits<One, At<0>, 1>(steps, {1});
}

TEST_CASE("Parts of a table train the bits of the undivided network") {
  check_same_bits<Texts, At<0, 2>, 3>(fitted(90, 40, Adam{.lr = 0.01}), {1, 2, 3});
  check_same_bits<Texts, At<0, 2>, 3>(fitted(1500, 1100, SGD{.lr = 0.1, .momentum = 0.9}), {2});
  check_same_bits<Series, At<0>, 5>(fitted(1500, 1100, Adam{.lr = 0.01}), {1, 3, 5});
  const auto x = words_or_numbers<Shape<6>>(20);
  const Network<Texts, ColumnParallel<At<0, 2>, 3>> net{{.seed = 7}};
  Tensor<float, Shape<6>> wrong = x;
  wrong.data()[7] = 50;  // of the second row
  const auto y = predict(net, wrong), expected = predict(Network<Texts>{{.seed = 7}}, x);
  CHECK(std::isnan(y.data()[5]));
  CHECK(std::equal(y.data() + 10, y.data() + 100, expected.data() + 10));
}

TEST_CASE("Outputs are those of the undivided network") {
  const Network<Perceptron> whole{{.seed = 7}};
  for (const std::size_t rows : {1u, 7u, 600u}) {
    const auto x = inputs<Shape<13>>(rows);
    const auto expected = predict(whole, x);
    Threads(3).run([&](Communicator& world) {
      const Network<Perceptron, ColumnParallel<At<0, 3, 5>, 5>> net{{world}, {.seed = 7}};
      auto workspace = net.workspace(rows);
      const auto y = net.forward(x, workspace);
      const auto predicted = predict(net, x);
      for (std::size_t i = 0; i < rows * 7; ++i)
        if (y.data[i] != expected.data()[i] || predicted.data()[i] != expected.data()[i])
          throw std::runtime_error("differs");
      const Network<Perceptron> copy = net;
      if (!same(all_of(copy), all_of(whole))) throw std::runtime_error("the copy has other numbers");
    });
  }
}

TEST_CASE("Sums of gradients, clipping, frozen layers, averages, and gradients of the inputs") {
  check_same_bits<Small, At<1, 3>, 5>(fitted(70, 32, clip_grad_norm(SGD{.lr = 0.1}, 0.5)), {2});
  const auto x = inputs<Shape<9>>(40);
  const auto labels = labels_for(40, 5);
  const auto steps = [&](auto& net) {
    using Scalar = typename std::remove_reference_t<decltype(net)>::Scalar;
    Network<Small> average;
    Trainer trainer{net, CrossEntropyLoss{}, moving_average(Adam{.lr = 0.01}, average, 0.9)};
    trainer.freeze("3.weight");
    trainer.set_rate_factor("1.bias", 0.5);
    std::vector<double> numbers;
    for (int step = 0; step < 4; ++step) {
      numbers.push_back(trainer.accumulate(x, labels));
      numbers.push_back(trainer.accumulate(subset(dataset(x, labels), 0, 11)));
      trainer.update();
    }
    trainer.store_average();
    for (const float number : all_of(average)) numbers.push_back(number);
    const auto dy = inputs<Shape<5>>(40, 1, 3);
    Tensor<Scalar, Shape<9>> dx;
    Trainer supplied{net, SGD{.lr = 0.1}};
    supplied.backward(x, dy, dx);
    supplied.backward(x, dy);
    supplied.update();
    numbers.insert(numbers.end(), dx.values().begin(), dx.values().end());
    return numbers;
  };
  check_same_bits<Small, At<1, 3>, 5>(steps, {1, 2, 5});
  const auto words = words_or_numbers<Shape<6>>(1200);
  const auto classes = labels_for(1200, 5);
  const auto sums = [&](auto& net) {
    Trainer trainer{net, CrossEntropyLoss{}, Adam{.lr = 0.01}};
    std::vector<double> numbers;
    for (int i = 0; i < 6; ++i) {
      numbers.push_back(trainer.accumulate(words, classes));
      if (i % 3 == 2) trainer.update();
    }
    return numbers;
  };
  check_same_bits<Texts, At<0, 2>, 3>(sums, {1, 3});
}

TEST_CASE("A checkpoint is resumed by other ranks, and by the undivided network") {
  const TemporaryFolder folder;
  const auto x = words_or_numbers<Shape<6>>(70);
  const auto labels = labels_for(70, 5);
  const auto train = [&](auto& net, int epochs, auto&&... callbacks) {
    fit(net, dataset(x, labels), CrossEntropyLoss{}, Adam{.lr = 0.01}, {.batch_size = 16, .epochs = epochs},
        callbacks...);
    return all_of(net);
  };
  const auto on = [&](int ranks, int epochs, const Checkpoint& checkpoint) {
    std::vector<float> numbers;
    Threads(ranks).run([&](Communicator& world) {
      Network<Texts, ColumnParallel<At<0, 2>, 3>> net{{world}, {.seed = 7}};
      const auto own = train(net, epochs, Checkpoint(checkpoint));
      if (world.rank() == 0) numbers = own;
    });
    return numbers;
  };
  Network<Texts> whole{{.seed = 7}}, resumed{{.seed = 7}};
  const auto expected = train(whole, 4);
  on(3, 1, Checkpoint{.path = folder / "run"});
  on(2, 2, Checkpoint{.path = folder / "run", .every = 2, .resume = true});
  CHECK(same(on(3, 4, Checkpoint{.path = folder / "run", .resume = true}), expected));
  on(3, 2, Checkpoint{.path = folder / "other"});
  CHECK(same(train(resumed, 4, Checkpoint{.path = folder / "other", .resume = true}), expected));
}

TEST_CASE("With other layers, the bits do not depend on the numbers of parts and ranks") {
  const auto train = fitted(70, 32, SGD{.lr = 0.05, .momentum = 0.9});
  std::vector<float> expected;
  const auto check = [&](auto parts, int ranks) {
    Threads(ranks).run([&](Communicator& world) {
      Network<Convolutional, ColumnParallel<At<4>, decltype(parts)::value>> net{{world}, {.seed = 7}};
      train(net);
      if (expected.empty()) expected = all_of(net);  // of one rank
      if (!same(all_of(net), expected)) throw std::runtime_error("differs");
    });
  };
  check(std::integral_constant<int, 1>{}, 1);
  check(std::integral_constant<int, 4>{}, 3);
  Network<Convolutional> whole{{.seed = 7}};
  train(whole);
  double most = 0;
  for (std::size_t i = 0; i < expected.size(); ++i)
    most = std::max(most, std::abs(double(expected[i]) - double(whole.data()[i])));
  CHECK(most < 1e-4);
}

TEST_CASE("The members of an ensemble are trained one after another, each by all ranks") {
  const auto x = inputs<Shape<9>>(40);
  const auto labels = labels_for(40, 5);
  const auto train = [&](auto& nets) {
    fit(nets, dataset(x, labels), CrossEntropyLoss{}, Adam{.lr = 0.01}, {.batch_size = 16, .epochs = 2});
    std::vector<float> numbers = all_of(nets[0]);
    for (const float number : all_of(nets[1])) numbers.push_back(number);
    return numbers;
  };
  Ensemble<Small> whole{Host{}, 2, {.seed = 7}};
  const auto expected = train(whole);
  Threads(2).run([&](Communicator& world) {
    Ensemble<Small, ColumnParallel<At<1, 3>, 5>> nets{{world}, 2, {.seed = 7}};
    if (!same(train(nets), expected)) throw std::runtime_error("differs");
  });
}

TEST_CASE("A rank has the weights, gradients and states of its parts alone") {
  using Device = ColumnParallel<At<0, 3>, 5>;
  using Units = detail::ColumnUnits<Perceptron, At<0, 3>, 5>;
  using Array = Network<Perceptron, Device>::Array;
  constexpr int first = 1031 * 14, second = 1031 * 17 + 17, last = 17 * 7 + 7;
  for (const int ranks : {1, 2, 3, 5}) {
    long long of_parts = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const long long numbers = Units::numbers_of(rank, ranks);
      const int most = (5 + ranks - 1) / ranks;  // parts
      CHECK(numbers <= most * (207 * 14 + 4 * 1032) + last);
      of_parts += numbers - last;
      const auto in_memory = static_cast<long long>(Array::offset(rank, ranks, Units::count, 1, false));
      CHECK(in_memory >= numbers);
      CHECK(in_memory < numbers + 16 * 2 * (2 * most + 2));  // gaps
      CHECK(Array::offset(rank, ranks, Units::count, 3, false) == 3 * static_cast<std::size_t>(in_memory));
    }
    CHECK(of_parts == first + second);
  }
}

TEST_CASE("Ranks send their outputs, and what they add to the gradient of the inputs") {
  const auto x = inputs<Shape<9>>(40);
  const auto labels = labels_for(40, 5);
  for (const int ranks : {2, 3, 5})
    Threads(ranks).run([&](Communicator& world) {
      Network<Small, ColumnParallel<At<1, 3>, 5>> net{{world}, {.seed = 7}};
      Trainer trainer{net, CrossEntropyLoss{}, Adam{}};
      for (int step = 0; step < 2; ++step) trainer.step(x, labels);
      const std::uint64_t before = world.sent_bytes();
      trainer.step(x, labels);  // the third, in which nothing is compared
      const int rank = world.rank(), begin = rank * 5 / ranks, end = (rank + 1) * 5 / ranks, others = ranks - 1;
      const int outputs = 7 * end / 5 - 7 * begin / 5 + end - begin;  // of both layers
      const int inputs = 7 * (rank < others ? 1 : others);  // of the second: nothing is trained before the first
      const int expected = 40 * 4 * (outputs * others + inputs) + others;  // and whether the update is finite
      if (world.sent_bytes() - before != static_cast<std::uint64_t>(expected))
        throw std::runtime_error("it sent " + std::to_string(world.sent_bytes() - before) + " bytes, not " +
                                 std::to_string(expected));
    });
}

TEST_CASE("describe lists what ranks have") {
  const Network<Perceptron, ColumnParallel<At<0, 3>, 5>> net{{.seed = 7}};
  const std::string text = describe(net, 60);
  CHECK(has(text,
            "2 layers in 5 parts on 1 rank, each with up to 32,104 of 32,104 parameters\nlayer 0: 1,031 columns, "
            "up to 207 in a part\nplan "));
  CHECK(has(text, "layers 1 to 2 on every rank\nplan "));
  CHECK(has(text, "layer 3: 17 columns, up to 4 in a part\nplan "));
  CHECK(has(text, "layers 4 to 5 on every rank\nplan "));
}

TEST_CASE("What goes wrong is said on all ranks") {
  const auto error_on = [](int ranks, const std::function<void(Communicator&)>& work) {
    return error_of([&] { Threads(ranks, std::chrono::seconds(5)).run(work); });
  };
  using Device = ColumnParallel<At<1, 3>, 5>;
  CHECK(has(error_on(6, [](Communicator& world) { Network<Small, Device> net{{world}}; }),
            "a ColumnParallel of 5 parts was given 6 ranks; give it as many ranks as parts, or fewer: "
            "world.split(color) makes groups of ranks"));
  const auto x = inputs<Shape<9>>(20);
  const auto labels = labels_for(20, 5);
  CHECK(has(error_on(2,
                     [&](Communicator& world) {
                       Network<Small, Device> net{{world}, {.seed = 1u + unsigned(world.rank())}};
                       Trainer{net, CrossEntropyLoss{}, Adam{}}.step(x, labels);
                     }),
            "rank 1 differs from rank 0 in: the seed (2, not 1)"));
  CHECK(has(error_on(2,
                     [&](Communicator& world) {
                       const auto step = [&](auto net) { Trainer{net, CrossEntropyLoss{}, Adam{}}.step(x, labels); };
                       if (world.rank() == 0)
                         step(Network<Small, Device>{{world}});
                       else
                         step(Network<Small, ColumnParallel<At<1>, 7>>{{world}});
                     }),
            "the layers that are divided; the parts of a divided layer (7, not 5)"));
  auto other_x = x;
  other_x(13, 4) += 1;
  auto other_labels = labels;
  other_labels[7] = (labels[7] + 1) % 5;
  CHECK(has(error_on(2,
                     [&](Communicator& world) {
                       Network<Small, Device> net{{world}, {.seed = 1}};
                       const bool first = world.rank() == 0;
                       Trainer{net, CrossEntropyLoss{}, Adam{}}.step(first ? x : other_x,
                                                                     first ? labels : other_labels);
                     }),
            "rank 1 differs from rank 0 in: the inputs of the batch; the targets of the batch"));
  check_stops_alike<Network<Small, Device>>(dataset(x, labels));
}
