// SPDX-License-Identifier: MIT
// labels: large
#include <vector>

#include "ranks/same_bits.hpp"
#include "sinter/layers/activation.hpp"
#include "sinter/layers/batch_norm.hpp"
#include "sinter/layers/conv2d.hpp"
#include "sinter/layers/flatten.hpp"
#include "sinter/layers/heads.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/layers/shared.hpp"
#include "sinter/loss/cross_entropy.hpp"
#include "sinter/loss/head_losses.hpp"
#include "sinter/loss/mse.hpp"
#include "sinter/loss/weighted_cross_entropy.hpp"
#include "sinter/optimizer/adam.hpp"
#include "sinter/optimizer/adamw.hpp"
#include "sinter/optimizer/clip_grad.hpp"
#include "sinter/optimizer/moving_average.hpp"
#include "sinter/optimizer/sgd.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

struct Normalized : Sequential<Input<2, 6, 6>, Conv2d<4, 3>, BatchNorm2d<>, ReLU, Conv2d<3, 3>, BatchNorm2d<>, ReLU,
                               Flatten, Linear<4>> {};
/// Its wide Linear takes its gradient from the whole batch, beside sums of parts.
struct Wide : Sequential<Input<1, 8, 8>, Conv2d<6, 3>, ReLU, Flatten, Linear<40>, Tanh, Linear<4>> {};
struct TwoHeads : Sequential<Input<9>, Linear<12>, ReLU, Heads<Path<Linear<4>>, Path<Linear<8>, Tanh, Linear<2>>>> {};
/// One weight in two places.
struct Again : Shared<Linear<40>, Tanh> {};
struct SharedRows : Sequential<Input<40>, Again, Again, Linear<4>> {};
struct NormalizedRows : Sequential<Input<9>, Linear<12>, BatchNorm1d<>, ReLU, Linear<4>> {};

/// 53 rows in batches of 24: the last one has 5.
auto trained(const auto& optimizer, const auto& loss) {
  return [=](auto& net) {
    using Net = std::remove_reference_t<decltype(net)>;
    const auto x = inputs<typename Net::InputRow>(53);
    const auto labels = labels_for(53, 4);
    const History history = fit(net, dataset(x, labels), loss, optimizer, {.batch_size = 24, .epochs = 4});
    std::vector<double> losses;
    for (const EpochRecord& record : history.epochs) losses.push_back(record.train_loss);
    return losses;
  };
}

}  // namespace

TEST_CASE("The statistics of batch normalisation are those of the whole batch") {
  check_same_bits<Normalized>(trained(SGD{.lr = 0.1, .momentum = 0.9}, CrossEntropyLoss{}), {1, 2, 3, 4, 7, 16});
  check_same_bits<NormalizedRows>(trained(SGD{.lr = 0.1}, CrossEntropyLoss{}), {2, 5});
}

TEST_CASE("Clipping by the norm, averages of weights, weights of classes and of rows are the same") {
  check_same_bits<Wide>(trained(clip_grad_norm(AdamW{.lr = 0.01}, 0.01), CrossEntropyLoss{}), {1, 2, 3, 7});
  check_same_bits<Wide>(
      trained(SGD{.lr = 0.1}, WeightedCrossEntropyLoss<4>{.weight = {1, 0.5, 2, 3}, .ignore_index = 2}), {2, 5});
  check_same_bits<Wide>(
      [](auto& net) {
        auto averaged = net;
        std::vector<double> losses = trained(moving_average(SGD{.lr = 0.1}, averaged, 0.9), CrossEntropyLoss{})(net);
        for (const float x : all_numbers(averaged)) losses.push_back(static_cast<double>(x));
        return losses;
      },
      {3});
  check_same_bits<Wide>(
      [](auto& net) {
        const auto x = inputs<Shape<1, 8, 8>>(53);
        const auto labels = labels_for(53, 4);
        std::vector<float> row_weights;
        for (int i = 0; i < 53; ++i) row_weights.push_back(static_cast<float>(i % 5));
        const History history = fit(net, dataset(x, labels, row_weights), CrossEntropyLoss{}, SGD{.lr = 0.1},
                                    {.batch_size = 24, .epochs = 2});
        return std::vector<double>{history.epochs[0].train_loss, history.epochs[1].train_loss};
      },
      {4});
}

TEST_CASE("Several heads have the same losses, each of them") {
  check_same_bits<TwoHeads>(
      [](auto& net) {
        const auto x = inputs<Shape<9>>(53);
        auto wanted = inputs<Shape<3>>(53, 1, 2);
        for (std::size_t i = 0; i < 53; ++i) wanted.data()[3 * i] = static_cast<float>(i % 4);
        const auto loss = head_losses<TwoHeads>(CrossEntropyLoss{}, 0.5 * MSELoss{});
        const History history = fit(net, dataset(x, wanted), loss, SGD{.lr = 0.1}, {.batch_size = 24, .epochs = 3});
        std::vector<double> losses;
        for (const EpochRecord& record : history.epochs)
          for (const HeadRecord& head : record.heads) losses.push_back(head.train_loss);
        REQUIRE(losses.size() == 6);
        return losses;
      },
      {2, 3, 8});
}

TEST_CASE("A weight that several places share is the same") {
  check_same_bits<SharedRows>(trained(Adam{.lr = 0.01}, CrossEntropyLoss{}), {1, 2, 3, 8});
}

TEST_CASE("A loop of your own may accumulate batches, and call forward and backward") {
  const auto loop = [](auto& net) {
    const auto x = inputs<typename std::remove_reference_t<decltype(net)>::InputRow>(53);
    const auto more = inputs<typename std::remove_reference_t<decltype(net)>::InputRow>(30, 1, 2);
    const auto labels = labels_for(53, 4), more_labels = labels_for(30, 4);
    std::vector<double> seen;
    const auto see = [&](const auto& rows) { seen.insert(seen.end(), rows.values().begin(), rows.values().end()); };
    Trainer trainer{net, CrossEntropyLoss{}, SGD{.lr = 0.1, .momentum = 0.5}};
    for (int step = 0; step < 3; ++step) {
      Tensor<float, typename std::remove_reference_t<decltype(net)>::InputRow> dx;
      seen.push_back(static_cast<double>(trainer.accumulate(x, labels, dx)));
      see(dx);
      seen.push_back(static_cast<double>(trainer.accumulate(more, more_labels)));
      trainer.update();

      const auto y = trainer.forward(x);
      see(y);
      trainer.backward(y, &dx);
      see(dx);
      trainer.update();
    }
    return seen;
  };
  check_same_bits<Wide>(loop, {1, 2, 3, 5, 16});
  check_same_bits<Normalized>(loop, {3});
  check_same_bits<NormalizedRows>(loop, {2, 4});
}
