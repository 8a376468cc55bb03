// SPDX-License-Identifier: MIT
// A network that learns handwritten digits inside a page: the functions that page.html calls. make.py compiles them.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sinter/sinter.hpp"

using namespace sinter;

namespace {

struct LeNet : Sequential<Input<1, 28, 28>, Conv2d<10, 5>, MaxPool2d<2>, ReLU, Conv2d<20, 5>, MaxPool2d<2>, ReLU,
                          Flatten, Linear<50>, ReLU, Dropout<0.25>, Linear<10>, LogSoftmax> {};

using Picture = Shape<1, 28, 28>;
const Normalize scale = Normalize::pixels(0.1307f, 0.3081f);

struct Training {
  const std::uint8_t *pixels, *labels;
  std::size_t train_rows, test_rows;
  OwningTrainer<Network<LeNet>, NLLLoss, Adam> trainer;
  Network<LeNet>::Workspace workspace = trainer.network().workspace(1);
  std::vector<std::uint32_t> order = {};  // the rows of this epoch
  std::size_t next = 0;
  std::uint32_t epoch = 0;

  auto digits(std::size_t first, std::size_t rows) const {
    const TensorView<const std::uint8_t, Picture> pictures{pixels + first * Picture::size, rows};
    return dataset(pictures, std::span(labels + first, rows), scale);
  }
  auto train() const { return digits(0, train_rows); }
  auto test() const { return digits(train_rows, test_rows); }
};
std::unique_ptr<Training> training;

}  // namespace

extern "C" {

/// Memory for what the page gives to the functions below.
[[clang::export_name("allocate")]] std::uint8_t* allocate(std::size_t bytes) { return new std::uint8_t[bytes]; }

/// A new network. The first `train_rows` pictures [rows][28][28] are to learn from, the next `test_rows` are held out.
[[clang::export_name("start")]] void start(const std::uint8_t* pixels, const std::uint8_t* labels,
                                           std::size_t train_rows, std::size_t test_rows, std::uint32_t seed) {
  training.reset(new Training{
      pixels, labels, train_rows, test_rows, {Network<LeNet>{{.seed = seed}}, NLLLoss{}, Adam{.lr = 0.002}}});
}

/// One step on the next 50 pictures, or those that are left of the epoch. Returns their loss.
[[clang::export_name("step")]] float step() {
  const auto train = training->train();
  if (training->next == training->order.size()) {
    training->order = shuffled_rows(train, training->epoch++);
    training->next = 0;
  }
  const std::size_t rows = std::min<std::size_t>(50, training->order.size() - training->next);
  const auto batch = subset(train, std::span(training->order).subspan(training->next, rows));
  training->next += rows;
  return training->trainer->step(batch);
}

/// How many of the held-out pictures [first, first + rows) are recognised.
[[clang::export_name("recognised")]] int recognised(std::size_t first, std::size_t rows) {
  const auto [loss, accuracy] = evaluate(training->trainer.network(), subset(training->test(), first, rows), NLLLoss{});
  return static_cast<int>(std::lround(accuracy * static_cast<double>(rows)));
}

/// The probabilities of the ten digits.
[[clang::export_name("classify")]] const float* classify(const std::uint8_t* picture) {
  static std::array<float, 10> probabilities;
  const TensorView<const std::uint8_t, Picture> one{picture, 1};
  const auto y = training->trainer.network().forward(one, training->workspace, scale);
  std::transform(y.data, y.data + 10, probabilities.begin(), [](float log) { return std::exp(log); });
  return probabilities.data();
}
}
