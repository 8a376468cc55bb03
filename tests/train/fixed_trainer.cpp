// SPDX-License-Identifier: MIT
// labels: large sanitized
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <sinter/fixed_trainer.hpp>
#include <sinter/io.hpp>
#include <string>
#include <vector>

#include "sinter/sinter.hpp"
#include "support/allocations.hpp"
#include "support/gaussian_nll.hpp"
#include "support/last_words.hpp"

using namespace sinter::internal;
using counted::allocations_in, counted::locks_in;

namespace {

// By the plan `layer`, with masks and a wide product; by tiles, with slots; both; by tiles that keep their memory.
struct Perceptron : Sequential<Input<17>, Linear<300>, ReLU, Dropout<0.25>, Linear<6>> {};
struct Picture : Sequential<Input<1, 13, 12>, Conv2d<4, 3, Padding<1>>, GroupNorm<2>, ReLU, MaxPool2d<2>, Conv2d<6, 3>,
                            Dropout2d<0.5>, Tanh, Flatten, Linear<6>, LogSoftmax> {};
struct Steps : Sequential<Input<5, 3>, GRU<4, FinalState>, Linear<6>> {};

template <class Row>
void fill(Tensor<float, Row>& x, std::size_t step) {
  for (std::size_t i = 0; i < x.values().size(); ++i)
    x.values()[i] = static_cast<float>((i * 37 + step * 13) % 101) / 64 - 0.75f;
}
template <class Row>
TensorView<const float, Row> view(const Tensor<float, Row>& x) {
  return {x.data(), x.rows()};
}

/// Steps of Rows rows and of fewer: losses and weights have the bits of a Trainer's.
template <class Model, class Loss, std::size_t Rows, class Isa, class Optimizer>
void check_same_bits(const Optimizer& optimizer) {
  CAPTURE(Rows);
  CAPTURE(Isa::name);
  Network<Model, HostFor<Isa>> net{{.seed = 6}};
  const auto packed = packed_bytes(net);
  static FixedTrainer<Model, Loss, Optimizer, Rows, Isa> fixed(std::span<const std::byte>{packed}, {}, optimizer, 6u);
  Trainer trainer{net, Loss{}, optimizer};
  bool same = true;
  for (std::size_t step = 0; step < 12; ++step) {
    const std::size_t rows = step % 3 == 2 ? Rows / 2 + 1 : step % 4 == 1 ? 1 : Rows;
    Tensor<float, typename Model::InputRow> x(rows);
    fill(x, step);
    float theirs = 0, ours = 0;
    long allocations = 0, locks = 0;
    if constexpr (std::is_same_v<typename Loss::Target, ClassTarget>) {
      std::vector<std::uint8_t> labels(rows);
      for (std::size_t i = 0; i < rows; ++i) labels[i] = static_cast<std::uint8_t>((i + step) % 6);
      theirs = trainer.step(x, labels);
      locks = locks_in([&] { allocations = allocations_in([&] { ours = fixed.step(view(x), std::span(labels)); }); });
    } else {
      Tensor<float, typename Model::OutputRow> targets(rows);
      fill(targets, step + 5);
      theirs = trainer.step(x, targets);
      locks = locks_in([&] { allocations = allocations_in([&] { ours = fixed.step(view(x), view(targets)); }); });
    }
    CHECK(allocations == 0);
    CHECK(locks == 0);
    same = same && std::bit_cast<std::uint32_t>(theirs) == std::bit_cast<std::uint32_t>(ours);
  }
  CHECK(same);
  CHECK(fixed.steps() == 12);
  CHECK(std::memcmp(net.data(), fixed.weights().data(), Program<Model>::arena_size * sizeof(float)) == 0);
}

}  // namespace

TEST_CASE("the bits of a Trainer, without a heap") {
  check_same_bits<Perceptron, CrossEntropyLoss, 8, isa::Native>(SGD{.lr = 0.1, .momentum = 0.9});
  check_same_bits<Perceptron, MSELoss, 33, isa::Scalar>(Adam{});
  check_same_bits<Picture, NLLLoss, 77, isa::Native>(AdamW{});
  check_same_bits<Picture, NLLLoss, 77, isa::Scalar>(SGD{.lr = 0.1});
  check_same_bits<Steps, CrossEntropyLoss, 9, isa::Native>(SGD{.lr = 0.1});
}

TEST_CASE("a step that is not finite changes nothing, and the next one continues") {
  const Network<Steps> net{{.seed = 1}};
  const auto packed = packed_bytes(net);
  static FixedTrainer<Steps, CrossEntropyLoss, SGD, 4> trainer(std::span<const std::byte>{packed}, {}, {.lr = 0.1});
  Tensor<float, Steps::InputRow> x(2);
  fill(x, 0);
  const int labels[] = {1, 5};
  const auto weights = [] { return std::vector<float>(trainer.weights().data(), trainer.weights().data() + 50); };
  const auto step = [&] { return trainer.step(view(x), std::span(labels)); };

  const std::vector<float> before = weights();
  x.values()[3] = std::numeric_limits<float>::quiet_NaN();
  CHECK(std::isnan(step()));
  CHECK(weights() == before);
  x.values()[3] = 0.5f;
  trainer.optimizer() = {.lr = 3e38, .weight_decay = 1e9};  // weights would be infinite
  CHECK(std::isnan(step()));
  trainer.optimizer().weight_decay = 0;
  trainer.optimizer().lr = std::numeric_limits<double>::infinity();
  CHECK(std::isnan(step()));
  CHECK(weights() == before);
  CHECK(trainer.steps() == 0);
  trainer.optimizer().lr = 0.1;
  CHECK(std::isfinite(step()));
  CHECK(weights() != before);
  CHECK(trainer.steps() == 1);
}

TEST_CASE("a View follows the weights") {
  const Network<Steps> net{{.seed = 1}};
  const auto packed = packed_bytes(net);
  static FixedTrainer<Steps, CrossEntropyLoss, Adam, 4> trainer(std::span<const std::byte>{packed}, {}, {.lr = 0.05});
  const View<Steps> of_trainer(trainer.weights());
  static FixedWorkspace<Steps, 1> workspace;
  Tensor<float, Steps::InputRow> x(1);
  fill(x, 0);
  const int label[] = {2};
  for (int i = 0; i < 60; ++i) trainer.step(view(x), std::span(label));
  CHECK(predicted_class(of_trainer.forward(view(x), workspace).data, 6) == 2);
}

TEST_CASE("wrong batches end the program with a message") {
  const Network<Steps> net{{.seed = 1}};
  const auto packed = packed_bytes(net);
  static FixedTrainer<Steps, CrossEntropyLoss, SGD, 4> trainer(std::span<const std::byte>{packed});
  Tensor<float, Steps::InputRow> x(5);
  const int labels[] = {0, 1, 2, 3, 4}, wrong[] = {0, 6};
  const auto says = [&](std::size_t rows, const float* from, std::span<const int> given, const char* words) {
    const std::string last =
        sinter_test::last_words_of([&] { trainer.step(TensorView<const float, Steps::InputRow>{from, rows}, given); });
    CAPTURE(last);
    CHECK(last.find(words) != std::string::npos);
  };
  says(5, x.data(), labels,
       "sinter: a step was given 5 rows with 5 targets, expected 1 to 4 rows with as many targets; divide larger "
       "batches, or make a FixedTrainer for more rows\n");
  says(0, x.data(), {}, "a step was given 0 rows");
  says(2, x.data(), labels, "2 rows with 5 targets");
  says(2, nullptr, wrong, "at a null pointer");
  says(2, x.data(), wrong, "sinter: a step was given the label 6, expected a class from 0 to 5; check the labels\n");
}

TEST_CASE("labels of heads, of rows and of pixels") {
  struct Net : Sequential<Input<1, 3, 4>, Heads<Named<"mask", Path<Conv2d<3, 1>>>, Path<Flatten, Linear<2>>>> {};
  constexpr auto loss = head_losses<Net>(at_each_pixel<Net, "mask">(CrossEntropyLoss{}), CrossEntropyLoss{});
  Network<Net> net{NetworkOptions{.seed = 1}};
  const auto packed = packed_bytes(net);
  static FixedTrainer<Net, std::remove_const_t<decltype(loss)>, SGD, 4> fixed(std::span<const std::byte>{packed}, loss,
                                                                              {.lr = 0.1});
  Tensor<float, Net::InputRow> x(3);
  fill(x, 0);
  Tensor<float, Shape<13>> wanted(3);
  for (std::size_t i = 0; i < 39; ++i) wanted.data()[i] = static_cast<float>(i % 13 == 12 ? i % 2 : i % 3);
  Trainer trainer{net, loss, SGD{.lr = 0.1}};
  for (int step = 0; step < 3; ++step) CHECK(trainer.step(x, wanted) == fixed.step(view(x), view(wanted)));
  CHECK(std::memcmp(net.data(), fixed.weights().data(), Program<Net>::arena_size * sizeof(float)) == 0);

  wanted(1, 12) = 2;
  const auto says = [&](const char* words) {
    const std::string last = sinter_test::last_words_of([&] { fixed.step(view(x), view(wanted)); });
    CAPTURE(last);
    CHECK(last.find(words) != std::string::npos);
  };
  says("sinter: a step was given the label 2, expected a class from 0 to 1; check the labels\n");
  wanted(1, 12) = 1;
  wanted(2, 7) = -1;
  says("sinter: a step was given the label -1, expected a class from 0 to 2; check the labels\n");
}

TEST_CASE("targets that the loss does not compare with") {
  struct Net : Sequential<Input<2>, Linear<2>> {};
  const Network<Net> net{{.seed = 1}};
  const auto packed = packed_bytes(net);
  static FixedTrainer<Net, BCEWithLogitsLoss, SGD, 4> fixed(std::span<const std::byte>{packed});
  const Tensor<float, Shape<2>> x{{0, 1, 1, 0}};
  Tensor<float, Shape<2>> wanted{{0, 1, 0.5f, 1}};
  CHECK(is_finite(fixed.step(view(x), view(wanted))));
  wanted(1, 1) = 4;
  const std::string last = sinter_test::last_words_of([&] { fixed.step(view(x), view(wanted)); });
  CAPTURE(last);
  CHECK(last.find("sinter: a step was given the target 4, and BCEWithLogitsLoss compares with probabilities from 0 to "
                  "1; check the targets\n") != std::string::npos);
}

TEST_CASE("a loss of a user that reads more outputs than there are") {
  struct Net : Sequential<Input<2>, Linear<1>> {};
  struct Wider : Sequential<Input<2>, Linear<2>> {};
  const Network<Net> net{{.seed = 1}};
  const Network<Wider> wider{{.seed = 1}};
  const auto packed = packed_bytes(net), packed_wider = packed_bytes(wider);
  const std::string last = sinter_test::last_words_of(
      [&] { static FixedTrainer<Net, sinter_test::GaussianNLL<>, SGD, 4> fixed(std::span<const std::byte>{packed}); });
  CAPTURE(last);
  CHECK(last.find("sinter: GaussianNLL was given a row of 1 outputs and reads number 1 ") != std::string::npos);
  static FixedTrainer<Wider, sinter_test::GaussianNLLOfTwo, SGD, 4> fixed(std::span<const std::byte>{packed_wider});
  const Tensor<float, Shape<2>> x{{0, 1, 1, 0}};
  const Tensor<float, Shape<1>> wanted{{0.5f, 1}};
  CHECK(is_finite(fixed.step(view(x), view(wanted))));
}

TEST_CASE("options of the loss and of the optimizer that cannot be right are refused as by Trainer") {
  struct Net : Sequential<Input<2>, Linear<3>> {};
  struct Forked : Sequential<Input<2>, Heads<Path<Linear<2>>, Path<Linear<1>>>> {};
  const auto check = []<class Model, class Loss>(const Network<Model>& given, const Loss& loss, const SGD& optimizer,
                                                 const char* words) {
    CAPTURE(words);
    Network<Model> net = given;
    const auto packed = packed_bytes(net);
    const auto text = [](auto&& make) -> std::string {
      try {
        make();
      } catch (const Error& error) {
        return error.what();
      }
      return "";
    };
    const std::string fixed =
        text([&] { FixedTrainer<Model, Loss, SGD, 2>{std::span<const std::byte>{packed}, loss, optimizer}; });
    CHECK(fixed.find(words) != std::string::npos);
    CHECK(fixed == text([&] { Trainer{net, loss, optimizer}; }));
  };
  const Network<Net> net;
  const Network<Forked> forked;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  check(net, HuberLoss{.delta = -1}, SGD{}, "HuberLoss was given delta = -1");
  check(net, SmoothL1Loss{.beta = -1}, SGD{}, "SmoothL1Loss was given beta = -1");
  check(net, BCEWithLogitsLoss{.pos_weight = nan}, SGD{}, "BCEWithLogitsLoss was given pos_weight = nan");
  check(net, CrossEntropyLoss{.label_smoothing = 2}, SGD{}, "CrossEntropyLoss was given label_smoothing = 2");
  check(net, WeightedCrossEntropyLoss<3>{.weight = {1, -1, 1}}, SGD{}, "-1");
  check(forked, head_losses<Forked>(CrossEntropyLoss{}, -1 * MSELoss{}), SGD{}, "MSELoss was given weight = -1");
  check(forked, head_losses<Forked>(CrossEntropyLoss{}, HuberLoss{.delta = 0}), SGD{}, "HuberLoss was given delta = 0");
  check(net, MSELoss{}, SGD{.weight_decay = 1e300}, "weight_decay = 1e+300, which is infinite in the precision");

  const auto packed = packed_bytes(net);
  static FixedTrainer<Net, CrossEntropyLoss, SGD, 2> trainer(std::span<const std::byte>{packed}, {}, {.lr = 0.1});
  const Tensor<float, Shape<2>> x{{0, 1, 1, 0}};
  const int labels[] = {0, 2};
  const auto last_words = [&] { return sinter_test::last_words_of([&] { trainer.step(view(x), std::span(labels)); }); };
  trainer.optimizer().momentum = 2;
  CHECK(last_words().find("SGD was given momentum = 2, expected at least 0 and less than 1") != std::string::npos);
  trainer.optimizer() = {.lr = -1};
  CHECK(last_words().find("SGD was given lr = -1, expected a finite number of at least 0") != std::string::npos);
  trainer.optimizer() = {.lr = 0.1};
  CHECK(is_finite(trainer.step(view(x), std::span(labels))));
}
