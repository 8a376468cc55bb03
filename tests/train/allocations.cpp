// SPDX-License-Identifier: MIT
// labels: large sanitized
#include "support/allocations.hpp"

#include <doctest/doctest.h>

#include <mutex>
#include <vector>

#include "sinter/sinter.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using counted::allocations_in, counted::bytes_in, counted::locks_in;

namespace {

struct Net : Sequential<Input<1, 12, 12>, Conv2d<6, 3>, MaxPool2d<2>, ReLU, Conv2d<4, 2>, Dropout2d<0.5>, MaxPool2d<2>,
                        ReLU, Flatten, Linear<8>, ReLU, Dropout<0.5>, Linear<3>, LogSoftmax> {};
struct Wide : Sequential<Input<1, 12, 12>, Conv2d<6, 3, Padding<1>>, ReLU, Flatten, Linear<256>, ReLU, Linear<3>> {};
struct WideRows : Sequential<Input<1, 12, 12>, Flatten, Linear<512>, ReLU, Linear<512>, ReLU, Linear<3>> {};
struct Scores : Sequential<Input<1, 12, 12>, Flatten, Linear<8>, GELU, Linear<3>> {};
using Images = Net::InputRow;

const auto x = sinter_test::inputs<Images>(100);
const std::vector<int> labels(100, 1);

}  // namespace

TEST_CASE("the counters count") {
  CHECK(allocations_in([] { ::operator delete(::operator new(4)); }) == 1);
  CHECK(allocations_in([] { AlignedArray<float> a(3); }) == 1);
  CHECK(allocations_in([] {}) == 0);
  std::mutex mutex;
  if (SINTER_COUNTS_LOCKS) CHECK(locks_in([&] { const std::lock_guard lock(mutex); }) == 1);
}

TEST_CASE("steps allocate nothing once a batch of that size was seen") {
  for (const int threads : {1, 3}) {
    CAPTURE(threads);
    Network<Net> net{Host{.threads = threads}, {.seed = 1}};
    const auto small = x.view().slice(0, 30);
    const std::span<const int> few = std::span(labels).first(30);
    const auto data = dataset(x, labels);
    const auto run = [&](auto optimizer) {
      Trainer trainer{net, NLLLoss{}, optimizer};
      trainer.step(x, labels);
      CHECK(allocations_in([&] {
              for (int i = 0; i < 3; ++i) trainer.step(x, labels);
            }) == 0);
      CHECK(allocations_in([&] { trainer.step(small, few); }) == 0);
      CHECK(allocations_in([&] { trainer.step(data); }) == 0);
      trainer.accumulate(x, labels);
      trainer.accumulate(small, few);
      trainer.update();
      CHECK(allocations_in([&] {
              trainer.accumulate(x, labels);
              trainer.accumulate(small, few);
              trainer.update();
            }) == 0);
    };
    run(SGD{.lr = 0.01, .momentum = 0.5});
    run(Adam{});
    run(clip_grad_norm(per_step(AdamW{}, StepLR{.step_size = 2}), 0.1));
    Network<Net> averaged;
    run(moving_average(Lion{}, averaged));

    const std::vector<float> row_weights(100, 2);
    const auto weighed = dataset(x, labels, row_weights);
    Network<Scores> scores{Host{.threads = threads}, {.seed = 1}};
    Trainer trainer{scores, WeightedCrossEntropyLoss<3>{.weight = {1, 2, 3}}, SGD{}};
    trainer.step(weighed);
    CHECK(allocations_in([&] { trainer.step(weighed); }) == 0);
  }
}

/// The memory of a training, besides the network, in units of its parameters.
template <class Model, class Optimizer>
double training_memory(const Optimizer& optimizer) {
  Network<Model> net;
  const auto rows = x.view().slice(0, 32);
  const std::span<const int> wanted = std::span(labels).first(32);
  const long bytes = bytes_in([&] {
    Trainer trainer{net, CrossEntropyLoss{}, optimizer};
    trainer.step(rows, wanted);
  });
  return static_cast<double>(bytes) / (sizeof(float) * Program<Model>::arena_size);
}

TEST_CASE("a training of wide weights needs a gradient, the optimizer's state, and little else") {
  const SGD plain{}, momentum{.momentum = 0.9};
  CHECK(training_memory<Wide>(momentum) < 2.7);
  CHECK(training_memory<Wide>(momentum) > 2);
  CHECK(training_memory<WideRows>(momentum) < 2.7);
  CHECK(training_memory<WideRows>(momentum) > 2);
  CHECK(training_memory<Wide>(plain) < 1.7);
  CHECK(training_memory<Wide>(plain) > 1);
  CHECK(training_memory<WideRows>(plain) < 1.7);
}

TEST_CASE("input gradients allocate nothing once they were asked for, whatever is asked for in between") {
  Network<Net> net;
  Trainer trainer{net, NLLLoss{}, SGD{.lr = 0.01}};
  Tensor<float, Images> dx;
  Tensor<float, Shape<3>> dy(100);
  const auto all = [&] {
    trainer.accumulate(x, labels, dx);
    trainer.step(x, labels);
    trainer.backward(x, dy, dx);
    trainer.backward(x, dy);
    trainer.update();
  };
  all();
  CHECK(allocations_in(all) == 0);
}

TEST_CASE("a prepared forward allocates nothing and takes no lock") {
  const Network<Net> net{Host{.threads = 2}, {.seed = 1}};
  auto workspace = net.workspace(100);
  for (const std::size_t rows : {std::size_t{100}, std::size_t{99}, std::size_t{1}, std::size_t{9}}) {
    const auto some = x.view().slice(0, rows);
    CHECK(allocations_in([&] { net.forward(some, workspace); }) == 0);
    CHECK(locks_in([&] { net.forward(some, workspace); }) == 0);
  }
}

TEST_CASE("a step on one thread takes no lock") {
  Network<Net> net;
  Trainer trainer{net, NLLLoss{}, SGD{.lr = 0.01}};
  trainer.step(x, labels);
  CHECK(locks_in([&] { trainer.step(x, labels); }) == 0);
}

TEST_CASE("fit allocates a fixed number of times, not by the batch") {
  Network<Net> net;
  const auto data = dataset(x, labels);
  const auto fitted = [&](std::size_t batch_size) {
    return allocations_in([&] { fit(net, data, NLLLoss{}, SGD{.lr = 0.01}, {.batch_size = batch_size, .epochs = 1}); });
  };
  fitted(50);
  CHECK(fitted(8) == fitted(1));  // 13 batches, and 100
}
