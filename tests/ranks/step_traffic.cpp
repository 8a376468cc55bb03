// SPDX-License-Identifier: MIT
// labels: threads large sanitized
#include "sinter/ranks/step_traffic.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "sinter/layers/activation.hpp"
#include "sinter/layers/batch_norm.hpp"
#include "sinter/layers/conv2d.hpp"
#include "sinter/layers/flatten.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/loss/cross_entropy.hpp"
#include "sinter/network/describe.hpp"
#include "sinter/optimizer/sgd.hpp"
#include "sinter/ranks/threads.hpp"
#include "sinter/train/trainer.hpp"
#include "support/error_of.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

struct Perceptron : Sequential<Input<13>, Linear<40>, Tanh, Linear<5>> {};
/// Sums of parts, a wide Linear of the whole batch, and statistics.
struct Wide : Sequential<Input<1, 8, 8>, Conv2d<6, 3>, BatchNorm2d<>, ReLU, Flatten, Linear<40>, Tanh, Linear<5>> {};
struct Convolutional : Sequential<Input<1, 8, 8>, Conv2d<6, 3>, ReLU, Conv2d<5, 6>, Flatten> {};

/// The third step sends what is counted: it compares nothing but that all are at the same step.
template <class Model>
void check_counts(std::size_t rows) {
  for (const int ranks : {2, 3, 4, 7}) {
    CAPTURE(rows);
    CAPTURE(ranks);
    std::mutex mutex;
    std::uint64_t messages = 0, bytes = 0;
    StepTraffic expected;
    Threads(ranks).run([&](Communicator& world) {
      Network<Model, Ranks<Host>> net{{world, Host{}}, {.seed = 1}};
      const auto x = inputs<typename Network<Model>::InputRow>(rows);
      const auto labels = labels_for(rows, 5);
      Trainer trainer{net, CrossEntropyLoss{}, SGD{.lr = 0.1}};
      for (int step = 0; step < 2; ++step) trainer.step(x, labels);
      const std::uint64_t messages_before = world.sent_messages(), bytes_before = world.sent_bytes();
      trainer.step(x, labels);
      const std::lock_guard lock(mutex);
      messages = std::max(messages, world.sent_messages() - messages_before);
      bytes = std::max(bytes, world.sent_bytes() - bytes_before);
      expected = step_traffic(net, rows, ranks);
    });
    CHECK(expected.messages == static_cast<long long>(messages));
    CHECK(expected.bytes == static_cast<long long>(bytes));
  }
}

}  // namespace

TEST_CASE("A step sends the messages and bytes that are counted") {
  check_counts<Perceptron>(64);
  check_counts<Perceptron>(300);
  check_counts<Wide>(150);
  check_counts<Wide>(20);
  check_counts<Convolutional>(150);
}

TEST_CASE("describe tells what a step sends, and how long that takes") {
  const StepTraffic traffic{4, 3, 9, 1250000};
  CHECK(traffic.seconds(20e-6, 1.25e9) == doctest::Approx(1.18e-3));
  Threads(2).run([](Communicator& world) {
    Network<Convolutional, Ranks<Host>> net{{world, Host{}}};
    const std::string text = describe(net, 150);
    CHECK(has(text, "2 ranks: each sends up to " + std::to_string(step_traffic(net, 150, 2).bytes) + " bytes in "));
    CHECK(has(text, "kernel 1: "));
  });
  Network<Convolutional, Ranks<Host>> alone;
  CHECK(step_traffic(alone, 150, 1).bytes == 0);
  CHECK(error_of([&] { step_traffic(alone, 0, 2); }) == "step_traffic was given a batch of 0 rows; give it 1 or more");
  CHECK(error_of([&] { step_traffic(alone, 5, 0); }) == "step_traffic was given 0 ranks; give it 1 or more");
}
