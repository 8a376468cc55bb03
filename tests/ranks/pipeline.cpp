// SPDX-License-Identifier: MIT
// labels: threads large sanitized
#include "sinter/ranks/pipeline.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "data/temporary_folder.hpp"
#include "ranks/divided.hpp"
#include "sinter/io/fit_checkpoint.hpp"
#include "sinter/layers/activation.hpp"
#include "sinter/layers/batch_norm.hpp"
#include "sinter/layers/conv2d.hpp"
#include "sinter/layers/dropout.hpp"
#include "sinter/layers/flatten.hpp"
#include "sinter/layers/heads.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/layers/pool2d.hpp"
#include "sinter/loss/cross_entropy.hpp"
#include "sinter/loss/head_losses.hpp"
#include "sinter/loss/l1.hpp"
#include "sinter/loss/mse.hpp"
#include "sinter/loss/weighted_cross_entropy.hpp"
#include "sinter/network/describe.hpp"
#include "sinter/optimizer/adam.hpp"
#include "sinter/optimizer/clip_grad.hpp"
#include "sinter/optimizer/moving_average.hpp"
#include "sinter/optimizer/sgd.hpp"
#include "sinter/parallel/ensemble.hpp"
#include "sinter/parallel/fit_ensemble.hpp"
#include "sinter/ranks/describe_pipeline.hpp"
#include "sinter/ranks/ranks.hpp"
#include "sinter/ranks/threads.hpp"
#include "sinter/report/progress.hpp"
#include "sinter/train/fit.hpp"
#include "support/error_of.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

struct Perceptron : Sequential<Input<13>, Linear<40>, ReLU, Dropout<0.2>, Linear<30>, Tanh, Dropout<0.2>, Linear<5>> {};
struct Convolutional : Sequential<Input<2, 10, 10>, Conv2d<6, 3>, BatchNorm2d<>, ReLU, MaxPool2d<2>, Conv2d<8, 3>,
                                  BatchNorm2d<>, ReLU, Flatten, Linear<5>> {};
struct TwoHeads : Sequential<Input<13>, Linear<20>, ReLU, Heads<Path<Linear<3>>, Path<Linear<2>>>> {};

template <class T>
double largest_difference(const std::vector<T>& a, const std::vector<T>& b) {
  REQUIRE(a.size() == b.size());
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(double(a[i]) - double(b[i])));
  return most;
}

/// train(net) on so many ranks, each with a part of the network: the numbers that it returns and those of the network
/// are the same on all of them, and for any number.
template <class Model, class Places, class Precision = Float32>
std::vector<typename Precision::Scalar> trained(auto&& train, int micro_batches,
                                                std::initializer_list<int> rank_counts) {
  std::vector<typename Precision::Scalar> expected;
  std::vector<double> losses;
  for (const int ranks : rank_counts) {
    CAPTURE(ranks);
    std::mutex mutex;
    int right = 0;
    Threads(ranks).run([&](Communicator& world) {
      Network<Model, Pipeline<Places>, Precision> net{
          {world, Host{.threads = 1 + world.rank() % 2}, {.micro_batches = micro_batches}}, {.seed = 7}};
      const std::vector<double> own = train(net);
      const auto numbers = all_of(net);
      const std::lock_guard lock(mutex);
      if (expected.empty()) expected = numbers, losses = own;
      right += same(numbers, expected) && same(own, losses);
    });
    CHECK(right == ranks);
  }
  return expected;
}

auto fitted(std::size_t rows, std::size_t batch, const auto& loss, const auto& optimizer) {
  return [=](auto& net) {
    using Net = std::remove_reference_t<decltype(net)>;
    const auto x = inputs<typename Net::InputRow>(rows);
    const auto labels = labels_for(rows, 5);
    const auto data = dataset(x, labels);
    const History history = fit(net, data, loss, optimizer, {.batch_size = batch, .epochs = 3, .validation = &data});
    REQUIRE(history.epochs.size() == 3);
    std::vector<double> numbers;
    for (const EpochRecord& record : history.epochs) {
      numbers.push_back(record.train_loss);
      numbers.push_back(record.validation_loss);
      numbers.push_back(record.validation_accuracy);
    }
    return numbers;
  };
}

}  // namespace

TEST_CASE("A network cut into stages has the numbers and the outputs of the whole one") {
  const Network<Convolutional> whole{{.seed = 7}};
  for (const std::size_t rows : {1u, 7u, 70u, 600u}) {
    const auto x = inputs<Shape<2, 10, 10>>(rows);
    const auto expected = predict(whole, x);
    Threads(3).run([&](Communicator& world) {
      const Network<Convolutional, Pipeline<At<3, 8>>> net{{world}, {.seed = 7}};
      auto workspace = net.workspace(rows);
      const auto y = net.forward(x, workspace);
      const auto predicted = predict(net, x);
      for (std::size_t i = 0; i < rows * 5; ++i)
        if (y.data[i] != expected.data()[i] || predicted.data()[i] != expected.data()[i])
          throw std::runtime_error("differs");
      if (!same(all_of(net), all_of(whole))) throw std::runtime_error("other numbers");
      const Network<Convolutional> copy = net;
      if (!same(all_of(copy), all_of(whole))) throw std::runtime_error("the copy has other numbers");
    });
  }
}

TEST_CASE("Any number of ranks trains the same bits") {
  const auto by_adam = fitted(70, 32, CrossEntropyLoss{}, Adam{.lr = 0.01});  // the last batch has 6 rows
  trained<Perceptron, At<1, 3, 6>>(by_adam, 4, {1, 2, 3, 4});
  trained<Perceptron, At<3>>(by_adam, 7, {1, 2});
  const auto by_sgd = fitted(70, 32, CrossEntropyLoss{}, SGD{.lr = 0.05, .momentum = 0.9});
  trained<Convolutional, At<4>>(by_sgd, 2, {1, 2});
  trained<Convolutional, At<1, 5, 7>>(by_sgd, 3, {1, 4});
}

TEST_CASE("The steps are those of the whole network that adds up the same micro-batches") {
  const auto x = inputs<Shape<2, 10, 10>>(48);
  const auto labels = labels_for(48, 5);
  const auto part = [&](std::size_t first) { return subset(dataset(x, labels), first, 16); };
  Network<Convolutional, Host, Float64> whole{{.seed = 7}};
  Trainer accumulating{whole, CrossEntropyLoss{}, Adam{.lr = 0.01}};
  for (int step = 0; step < 5; ++step) {
    for (const std::size_t first : {0u, 16u, 32u}) accumulating.accumulate(part(first));
    accumulating.update();
  }
  const auto steps = [&](auto& net) {
    Trainer trainer{net, CrossEntropyLoss{}, Adam{.lr = 0.01}};
    std::vector<double> losses;
    for (int step = 0; step < 5; ++step) losses.push_back(trainer.step(x, labels));
    CHECK(trainer.steps() == 5);
    CHECK(trainer.problem() == "");
    return losses;
  };
  const auto numbers = trained<Convolutional, At<3, 8>, Float64>(steps, 3, {1, 2, 3});
  CHECK(largest_difference(numbers, all_of(whole)) < 1e-9);
  const auto masked = [&](auto& net) { return fitted(70, 32, CrossEntropyLoss{}, SGD{.lr = 0.1})(net); };
  Network<Perceptron, Host, Float64> dropped{{.seed = 7}};
  masked(dropped);
  CHECK(largest_difference(trained<Perceptron, At<1, 3, 6>, Float64>(masked, 4, {1, 4}), all_of(dropped)) < 1e-9);
}

TEST_CASE("Clipping, weights of classes, frozen layers, averages and heads") {
  trained<Perceptron, At<3>>(fitted(70, 32, CrossEntropyLoss{}, clip_grad_norm(SGD{.lr = 0.1}, 0.5)), 4, {1, 2});
  trained<Perceptron, At<3>>(fitted(70, 32, WeightedCrossEntropyLoss<5>{.weight = {1, 2, 3, 4, 5}}, Adam{}), 4, {1, 2});
  const auto x = inputs<Shape<13>>(40);
  const auto labels = labels_for(40, 5);
  const auto steps = [&](auto& net) {
    Network<Perceptron> average;
    Trainer trainer{net, CrossEntropyLoss{}, moving_average(Adam{.lr = 0.01}, average, 0.9)};
    trainer.freeze("3");
    trainer.set_rate_factor("6.bias", 0.5);
    std::vector<double> numbers;
    for (int step = 0; step < 4; ++step) numbers.push_back(trainer.step(x, labels));
    trainer.store_average();
    for (const float number : all_of(average)) numbers.push_back(number);
    return numbers;
  };
  const auto numbers = trained<Perceptron, At<3, 4>>(steps, 4, {1, 2, 3});
  Network<Perceptron> whole{{.seed = 7}};
  const Parameter frozen = Program<Perceptron>::parameters[2];
  CHECK(std::equal(numbers.begin() + frozen.offset, numbers.begin() + frozen.offset + frozen.size,
                   whole.data() + frozen.offset));
  steps(whole);
  CHECK(largest_difference(numbers, all_of(whole)) < 1e-5);

  trained<TwoHeads, At<1>>(
      [&](auto& net) {
        const auto targets = inputs<Shape<5>>(40);
        const auto data = dataset(x, targets);
        const auto history = fit(net, data, head_losses<TwoHeads>(MSELoss{}, 0.5 * L1Loss{}), Adam{},
                                 {.batch_size = 16, .epochs = 2, .validation = &data});
        const EpochRecord& record = history.epochs[1];
        return std::vector<double>{record.train_loss, record.heads[0].train_loss, record.heads[1].train_loss,
                                   record.heads[1].validation_loss};
      },
      3, {1, 2});
}

TEST_CASE("Gradients that the caller supplies, and those with respect to the inputs") {
  const auto x = inputs<Shape<13>>(20);
  const auto dy = inputs<Shape<5>>(20, 1, 3);
  const auto steps = [&](auto& net) {
    Trainer trainer{net, SGD{.lr = 0.1}};
    Tensor<typename std::remove_reference_t<decltype(net)>::Scalar, Shape<13>> dx;
    trainer.backward(x, dy, dx);
    trainer.backward(x, dy);
    trainer.update();
    return std::vector<double>(dx.values().begin(), dx.values().end());
  };
  Network<Perceptron> whole{{.seed = 7}};
  const auto expected = steps(whole);
  std::vector<double> own;
  std::mutex mutex;
  const auto on_each = [&](auto& net) {
    const std::vector<double> dx = steps(net);
    const std::lock_guard lock(mutex);
    return own = dx;
  };
  const auto numbers = trained<Perceptron, At<1, 4>>(on_each, 4, {1, 2, 3});
  CHECK(largest_difference(numbers, all_of(whole)) < 1e-5);
  CHECK(largest_difference(own, expected) < 1e-6);
}

TEST_CASE("A checkpoint of some ranks is resumed on others, and by one network after another") {
  const TemporaryFolder folder;
  const auto x = inputs<Shape<2, 10, 10>>(70);
  const auto labels = labels_for(70, 5);
  const auto train = [&](auto& net, int epochs, auto&&... callbacks) {
    return fit(net, dataset(x, labels), CrossEntropyLoss{}, Adam{.lr = 0.01}, {.batch_size = 16, .epochs = epochs},
               callbacks...);
  };
  const auto on = [&](int ranks, int epochs, auto&&... callbacks) {
    std::vector<float> numbers;
    Threads(ranks).run([&](Communicator& world) {
      Network<Convolutional, Pipeline<At<3, 8>>> net{{world}, {.seed = 7}};
      train(net, epochs, std::remove_cvref_t<decltype(callbacks)>(callbacks)...);  // each rank has its own
      const auto own = all_of(net);
      if (world.rank() == 0) numbers = own;
    });
    return numbers;
  };
  const auto expected = on(3, 4);
  on(3, 2, Checkpoint{.path = folder / "run", .every = 3});
  CHECK(same(on(2, 3, Checkpoint{.path = folder / "run", .every = 2, .resume = true}), on(1, 3)));
  CHECK(same(on(1, 4, Checkpoint{.path = folder / "run", .resume = true}), expected));
}

TEST_CASE("Groups of ranks divide the rows of each stage, and one rank of all prints and writes") {
  const TemporaryFolder folder;
  const auto x = inputs<Shape<2, 10, 10>>(70);
  const auto labels = labels_for(70, 5);
  const auto train = [&](auto& net, auto&&... callbacks) {
    return fit(net, dataset(x, labels), CrossEntropyLoss{}, Adam{.lr = 0.01}, {.batch_size = 32, .epochs = 3},
               callbacks...);
  };
  Network<Convolutional, Pipeline<At<4>>> alone{Host{}, {.seed = 7}};
  train(alone);
  const auto expected = all_of(alone);
  std::ostringstream printed;
  Threads(4).run([&](Communicator& world) {
    const auto group = world.split(world.rank() / 2), across = world.split(world.rank() % 2);
    Network<Convolutional, Pipeline<At<4>, Ranks<Host>>> net{{*across, Ranks<Host>{*group}}, {.seed = 7}};
    train(net, Progress(printed), Checkpoint{.path = folder / "run"});
    if (!same(all_of(net), expected)) throw std::runtime_error("differs");
  });
  const std::string lines = printed.str();
  CHECK(std::count(lines.begin(), lines.end(), '\n') == 4);
  Network<Convolutional, Pipeline<At<4>>> read{Host{}, {.seed = 7}};
  train(read, Checkpoint{.path = folder / "run", .resume = true});
  CHECK(same(all_of(read), expected));
  Threads(4).run([&](Communicator& world) {
    const auto group = world.split(world.rank() / 2), across = world.split(world.rank() % 2);
    Network<Convolutional, Pipeline<At<4>, Ranks<Host>>> net{{*across, Ranks<Host>{*group}}, {.seed = 7}};
    int epochs = 0;
    train(net, [&](const EpochRecord&, const History&) { return ++epochs < 2 || world.rank() != 3; });
    if (epochs != 2) throw std::runtime_error("it went on");
  });
}

TEST_CASE("The members of an ensemble are trained one after another, each by all ranks") {
  const auto x = inputs<Shape<13>>(40);
  const auto labels = labels_for(40, 5);
  const auto data = dataset(x, labels);
  const auto train = [&](auto& nets) {
    fit(nets, data, CrossEntropyLoss{}, Adam{.lr = 0.01}, {.batch_size = 16, .epochs = 2});
    std::vector<double> numbers;
    for (std::size_t m = 0; m < nets.size(); ++m) {
      for (const float number : all_of(nets[m])) numbers.push_back(number);
      numbers.push_back(evaluate(nets, data, CrossEntropyLoss{})[m].loss);
    }
    return numbers;
  };
  std::vector<double> expected;
  for (const int ranks : {1, 2})
    Threads(ranks).run([&](Communicator& world) {
      Ensemble<Perceptron, Pipeline<At<3>>> nets{{world}, 3, {.seed = 7}};
      const auto numbers = train(nets);
      if (ranks == 1) expected = numbers;
      if (!same(numbers, expected)) throw std::runtime_error("differs");
    });
  Network<Perceptron, Pipeline<At<3>>> second{{.seed = 8}};
  fit(second, data, CrossEntropyLoss{}, Adam{.lr = 0.01}, {.batch_size = 16, .epochs = 2});
  const auto numbers = all_of(second);
  CHECK(
      std::equal(numbers.begin(), numbers.end(), expected.begin() + static_cast<std::ptrdiff_t>(expected.size() / 3)));
}

TEST_CASE("describe lists the stages") {
  const Network<Perceptron, Pipeline<At<3>>> net{{Host{}, {.micro_batches = 8}}};
  const std::string text = describe(net, 60);
  CHECK(has(text, "2 stages on 1 rank, 8 micro-batches of up to 8 rows\n"));
  CHECK(has(text,
            "stage 1 on rank 0: layers 0 to 2, 560 parameters, 520 multiply-adds a row, sends 160 bytes a row, "
            "and gets as many back\nplan "));
  CHECK(has(text, "stage 2 on rank 0: layers 3 to 6, 1,385 parameters, 1,350 multiply-adds a row\nplan "));
}

TEST_CASE("What goes wrong is said on all ranks") {
  const auto error_on = [](int ranks, const std::function<void(Communicator&)>& work) {
    return error_of([&] { Threads(ranks, std::chrono::seconds(5)).run(work); });
  };
  CHECK(has(error_on(3, [](Communicator& world) { Network<Perceptron, Pipeline<At<3>>> net{{world}}; }),
            "a Pipeline of 2 stages was given 3 ranks; give it as many ranks as stages, or fewer: "
            "world.split(color) makes groups of ranks"));
  CHECK(error_of([] { Network<Perceptron, Pipeline<At<3>>> net{{Host{}, {.micro_batches = 0}}}; }) ==
        "a Pipeline was given .micro_batches = 0; give it 1 or more");
  const auto x = inputs<Shape<13>>(20);
  const auto labels = labels_for(20, 5);
  CHECK(has(error_on(2,
                     [&](Communicator& world) {
                       Network<Perceptron, Pipeline<At<3>>> net{{world}, {.seed = 1u + unsigned(world.rank())}};
                       Trainer{net, CrossEntropyLoss{}, Adam{}}.step(x, labels);
                     }),
            "rank 1 differs from rank 0 in: the seed (2, not 1)"));
  CHECK(has(error_on(2,
                     [&](Communicator& world) {
                       Network<Perceptron, Pipeline<At<3>>> net{{world, Host{}, {.micro_batches = 1 + world.rank()}}};
                       Trainer{net, CrossEntropyLoss{}, Adam{}}.step(x, labels);
                     }),
            "the micro-batches (2, not 1)"));
  CHECK(has(error_on(2,
                     [&](Communicator& world) {
                       Network<Perceptron, Pipeline<At<3>>> net{{world}};
                       fit(net, dataset(x, labels), CrossEntropyLoss{}, Adam{}, {.batch_size = 5, .epochs = 2},
                           [&](const BatchInfo& info) {
                             if (world.rank() == 1 && info.samples_done == 10) throw std::runtime_error("no more");
                           });
                     }),
            "no more"));
  check_stops_alike<Network<Perceptron, Pipeline<At<3>>>>(dataset(x, labels));
}
