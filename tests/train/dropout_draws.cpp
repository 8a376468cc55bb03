// SPDX-License-Identifier: MIT
// Other masks of dropout on demand: of a Trainer's forward, and of a network that is not trained.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "sinter/sinter.hpp"
#include "support/close.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

struct Thinned : Sequential<Input<8>, Dropout<0.5>, Linear<1>> {};
// By the plan `layer`; by tiles, with channels that are skipped and with pools; with recurrences and branches.
struct Layered : Sequential<Input<5>, Linear<37>, Tanh, Dropout<0.3>, Linear<3>> {};
struct Pictures : Sequential<Input<1, 12, 12>, Conv2d<6, 5>, Dropout2d<0.5>, MaxPool2d<2>, ReLU, Flatten, Linear<9>,
                             Dropout<0.5>, ReLU, Linear<3>, LogSoftmax> {};
struct Series : Sequential<Input<7, 3>, Residual<Path<LSTM<3>, Dropout<0.4>>>, LayerNorm<>, GRU<4, FinalState>,
                           Heads<Path<Dropout<0.2>, Linear<2>>, Path<Linear<3>>>> {};
// Whose batches have statistics in training, and running averages here.
struct Normalized : Sequential<Input<2, 5, 5>, Conv2d<4, 3>, BatchNorm2d<>, ReLU, Dropout2d<0.5>, Conv2d<4, 2>,
                               BatchNorm2d<>, Tanh, Flatten, Linear<12>, BatchNorm1d<>, ReLU, Dropout<0.5>, Linear<3>> {
};

template <class T, class S>
std::vector<T> numbers(const Tensor<T, S>& x) {
  return {x.values().begin(), x.values().end()};
}
template <class Model, class T = float>
Tensor<T, typename Model::InputRow> rows_of(std::size_t count) {
  return Tensor<T, typename Model::InputRow>(
      closeness::numbers<T>(count * static_cast<std::size_t>(Model::InputRow::size), -1, 1));
}
/// Running averages that are not those of a new network.
template <class Net>
void warm(Net& net) {
  for (auto& buffer : net.buffers())
    for (std::size_t i = 0; i < buffer.value.size(); ++i)
      buffer.value[i] += static_cast<typename Net::Scalar>(0.1 * static_cast<double>(i % 5 + 1));
}

/// Outputs are those of a Trainer before its first step, where batches have no statistics.
template <class Model>
void check_as_in_training() {
  Network<Model> net{{.seed = 7}};
  const auto x = rows_of<Model>(37);
  Network<Model> trained = net;
  Trainer trainer{trained, SGD{}};
  for (const std::uint32_t draw : {0u, 1u, 9u})
    CHECK(numbers(predict_with_dropout(net, x, draw)) == numbers(trainer.forward(x, draw)));
}
template <class Model>
void check_as_on_reference() {
  Network<Model, Host, Float64> net{{.seed = 7}};
  warm(net);
  Network<Model, Reference, Float64> reference = net;
  const auto x = rows_of<Model, double>(37);
  const auto got = predict_with_dropout(net, x, 3), want = predict_with_dropout(reference, x, 3);
  double worst = 0, most = 0;
  for (std::size_t i = 0; i < got.values().size(); ++i) {
    worst = std::max(worst, std::fabs(got.values()[i] - want.values()[i]));
    most = std::max(most, std::fabs(want.values()[i] - predict(reference, x).values()[i]));
  }
  CHECK(worst < 1e-12);
  CHECK(most > 1e-3);  // that dropout is on
}

}  // namespace

TEST_CASE("a Trainer draws the masks of a step until its update, and others for another draw") {
  Network<Thinned> net{{.seed = 2}};
  Trainer trainer{net, SGD{.lr = 0.1}};
  const auto x = rows_of<Thinned>(20);
  const auto first = numbers(trainer.forward(x)), other = numbers(trainer.forward(x, 1));
  CHECK(numbers(trainer.forward(x)) == first);
  CHECK(numbers(trainer.forward(x, 0)) == first);
  CHECK(other != first);
  CHECK(numbers(trainer.forward(x, 2)) != other);
  CHECK(numbers(trainer.forward(x, 1)) == other);
  trainer.backward(Tensor<float, Shape<1>>(20));
  trainer.update();  // by a gradient of 0
  CHECK(numbers(trainer.forward(x)) != first);
  CHECK(numbers(trainer.forward(x, 1)) != other);
}

TEST_CASE("backward goes through the masks of the draw") {
  Network<Thinned> net{{.seed = 2}};
  Trainer trainer{net, SGD{.lr = 0.1}};
  const auto x = rows_of<Thinned>(20);
  const auto y = numbers(trainer.forward(x, 5));
  Tensor<float, Shape<8>> dx;
  trainer.backward(Tensor<float, Shape<1>>(std::vector<float>(20, 1)), &dx);
  std::size_t dropped = 0;
  for (std::size_t row = 0; row < 20; ++row) {
    float sum = net.parameter("1.bias")[0];
    for (int i = 0; i < 8; ++i) sum += dx(row, i) * x(row, i), dropped += dx(row, i) == 0;
    CHECK(y[row] == doctest::Approx(sum).epsilon(1e-5));
  }
  CHECK(dropped > 50);
  CHECK(dropped < 110);
}

TEST_CASE("two batches that go backward have the masks of one, until an update or clear") {
  Network<Thinned> net{{.seed = 2}};
  Trainer trainer{net, SGD{.lr = 0.1}};
  const auto x = rows_of<Thinned>(20);
  const auto whole = numbers(trainer.forward(x, 3));
  const auto half = [&](std::size_t first) { return numbers(trainer.forward(x.view().slice(first, 10), 3)); };
  const auto begins = half(0);
  trainer.backward(Tensor<float, Shape<1>>(10));
  auto both = begins;
  for (const float y : half(10)) both.push_back(y);
  CHECK(both == whole);
  CHECK(half(0) != begins);
  trainer.clear();
  CHECK(half(0) == begins);
}

TEST_CASE("draws spread round what the network says without dropout") {
  const Network<Thinned> net{{.seed = 2}};
  const auto x = rows_of<Thinned>(4);
  const auto without = predict(net, x);
  constexpr std::uint32_t draws = 2000;
  for (std::size_t row = 0; row < 4; ++row) {
    double sum = 0, squares = 0;
    for (std::uint32_t draw = 0; draw < draws; ++draw) {
      const double y = static_cast<double>(predict_with_dropout(net, x, draw)(row, 0));
      sum += y, squares += y * y;
    }
    const double mean = sum / draws, deviation = std::sqrt(squares / draws - mean * mean);
    CHECK(deviation > 0.05);
    CHECK(std::fabs(mean - static_cast<double>(without(row, 0))) < 4 * deviation / std::sqrt(double{draws}));
  }
}

TEST_CASE("the masks are those of a Trainer") {
  check_as_in_training<Thinned>();
  check_as_in_training<Layered>();
  check_as_in_training<Pictures>();
  check_as_in_training<Series>();
}
TEST_CASE("the outputs are those of the reference, with the running averages of batch normalisation") {
  check_as_on_reference<Layered>();
  check_as_on_reference<Pictures>();
  check_as_on_reference<Series>();
  check_as_on_reference<Normalized>();
}

TEST_CASE("neither threads nor the form of the rows change a bit") {
  Network<Normalized> net{{.seed = 7}};
  warm(net);
  Network<Normalized> on_threads(Host{.threads = 3}, {.seed = 7});
  on_threads = net;
  const auto x = rows_of<Normalized>(203);
  const auto want = numbers(predict_with_dropout(net, x, 4));
  CHECK(numbers(predict_with_dropout(on_threads, x, 4)) == want);
  const std::vector<int> labels(203);
  CHECK(numbers(predict_with_dropout(net, dataset(x, labels), 4)) == want);
  const auto few = numbers(predict_with_dropout(net, x.view().slice(0, 5), 4));
  CHECK(std::equal(few.begin(), few.end(), want.begin()));
  net = Network<Normalized>{{.seed = 8}};
  CHECK(numbers(predict_with_dropout(net, x, 4)) != want);
}

namespace {
struct Averaged : Sequential<Input<2>, Linear<3>, BatchNorm1d<>, Dropout<0.5>, Linear<1>> {};
struct Remembering : Sequential<Input<4, 2>, Dropout<0.3>, LSTM<3>, BatchNorm1d<>, Flatten, Linear<1>> {};

/// All that a network keeps after three updates, with some draws in between; each by accumulate, or by forward and
/// backward.
template <class Model, class Device = Host>
std::vector<float> trained_with(int draws, bool separately, bool carries) {
  Network<Model, Device> net{{.seed = 1}};
  Trainer trainer{net, MSELoss{}, SGD{.lr = 0.1, .momentum = 0.9}};
  if (carries) trainer.carry_state();
  const auto x = rows_of<Model>(6);
  const Tensor<float, Shape<1>> y(6);
  auto other = rows_of<Model>(6);
  for (float& number : other.values()) number *= 50;
  other.data()[0] = std::numeric_limits<float>::quiet_NaN();
  const auto draw = [&] {
    for (int i = 0; i < draws; ++i) trainer.forward(other, static_cast<std::uint32_t>(i));
  };
  for (int step = 0; step < 3; ++step) {
    draw();
    for (int part = 0; part < 2; ++part) {
      if (separately) {
        trainer.forward(x);
        trainer.backward(Tensor<float, Shape<1>>(std::vector<float>(6, 0.1f)));
      } else {
        trainer.accumulate(x, y);
      }
      draw();
    }
    CHECK_MESSAGE(trainer.update(), trainer.problem());
  }
  std::vector<float> all;
  for (const auto& tensor : net.parameters()) all.insert(all.end(), tensor.value.begin(), tensor.value.end());
  for (const auto& tensor : net.buffers()) all.insert(all.end(), tensor.value.begin(), tensor.value.end());
  return all;
}
template <class Model, class Device = Host>
void check_draws_change_nothing(bool carries) {
  for (const bool separately : {false, true})
    for (const int draws : {1, 3})
      CHECK(trained_with<Model, Device>(draws, separately, carries) ==
            trained_with<Model, Device>(0, separately, carries));
}
}  // namespace

TEST_CASE("draws change neither running averages nor carried states: a training has the same bits with them") {
  check_draws_change_nothing<Averaged>(false);
  check_draws_change_nothing<Averaged, Reference>(false);
  check_draws_change_nothing<Remembering>(false);
  check_draws_change_nothing<Remembering>(true);
  check_draws_change_nothing<Remembering, Reference>(true);
  CHECK(trained_with<Remembering>(0, true, true) !=
        trained_with<Remembering>(0, true, false));  // what goes back is carried
}

TEST_CASE("a draw begins with the carried states each time") {
  Network<Remembering> net{{.seed = 1}};
  Trainer trainer{net, MSELoss{}, SGD{}};
  trainer.carry_state();
  const auto x = rows_of<Remembering>(6);
  const auto at_first = numbers(trainer.forward(x, 1));
  CHECK(numbers(trainer.forward(rows_of<Remembering>(9), 1)).size() == 9);  // nothing is carried yet
  CHECK(numbers(trainer.forward(x, 1)) == at_first);
  trainer.accumulate(x, Tensor<float, Shape<1>>(6));
  const auto carried = numbers(trainer.forward(x, 1));
  CHECK(carried != at_first);
  CHECK(numbers(trainer.forward(x, 1)) == carried);
  trainer.clear();
  trainer.reset_state();
  CHECK(numbers(trainer.forward(x, 1)) == at_first);
  trainer.reset_state();  // before the batch goes back
  trainer.backward(Tensor<float, Shape<1>>(6));
  trainer.clear();
  CHECK(numbers(trainer.forward(rows_of<Remembering>(9), 1)).size() == 9);
}
