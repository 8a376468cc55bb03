// SPDX-License-Identifier: MIT
// labels: large change sanitized
#include "ranks/same_bits.hpp"

#include <vector>

#include "sinter/layers/activation.hpp"
#include "sinter/layers/conv2d.hpp"
#include "sinter/layers/dropout.hpp"
#include "sinter/layers/flatten.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/layers/pool2d.hpp"
#include "sinter/loss/cross_entropy.hpp"
#include "sinter/optimizer/adam.hpp"
#include "sinter/optimizer/sgd.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

struct Perceptron : Sequential<Input<13>, Linear<40>, ReLU, Dropout<0.2>, Linear<40>, Tanh, Linear<5>> {};
struct Convolutional
    : Sequential<Input<2, 10, 10>, Conv2d<6, 3>, MaxPool2d<2>, ReLU, Dropout2d<0.5>, Flatten, Linear<5>> {};

// 150 rows in batches of 64: the last batch has 22, and the second list of sizes fewer rows than ranks.
auto trained(std::size_t rows, std::size_t batch, const auto& optimizer) {
  return [=](auto& net) {
    using Net = std::remove_reference_t<decltype(net)>;
    const auto x = inputs<typename Net::InputRow>(rows);
    const auto labels = labels_for(rows, 5);
    const History history =
        fit(net, dataset(x, labels), CrossEntropyLoss{}, optimizer, {.batch_size = batch, .epochs = 4});
    std::vector<double> losses;
    for (const EpochRecord& record : history.epochs) losses.push_back(record.train_loss);
    return losses;
  };
}

}  // namespace

TEST_CASE("A perceptron trains to the same bits on any number of ranks") {
  check_same_bits<Perceptron>(trained(150, 64, Adam{.lr = 0.01}));
  check_same_bits<Perceptron>(trained(23, 20, Adam{.lr = 0.01}), {2, 5, 16});
}

TEST_CASE("Also on 64 ranks, of which some have no rows") {
  check_same_bits<Perceptron>(trained(300, 250, Adam{.lr = 0.01}), {64});
}

TEST_CASE("So does a convolutional network, in double too") {
  check_same_bits<Convolutional>(trained(150, 64, SGD{.lr = 0.05, .momentum = 0.9}));
  check_same_bits<Convolutional>(trained(19, 16, SGD{.lr = 0.05}), {2, 3, 16});
  check_same_bits<Convolutional, Float64>(trained(150, 64, SGD{.lr = 0.05}), {3});
}
