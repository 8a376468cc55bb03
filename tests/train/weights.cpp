// SPDX-License-Identifier: MIT
// labels: large
// Weights of samples and of classes, and ignored labels, through training and evaluation.
#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "sinter/sinter.hpp"
#include "support/check_refused.hpp"
#include "support/close.hpp"

using namespace sinter::internal;

namespace {

struct Net : Sequential<Input<3>, Linear<7>, Tanh, Linear<4>> {};
constexpr std::size_t rows = 17;

struct Problem {
  Tensor<float, Shape<3>> x{closeness::numbers<float>(rows * 3, -1, 1)};
  Tensor<float, Shape<4>> y{closeness::numbers<float>(rows * 4, 0, 1, 2)};  // probabilities
  std::vector<int> labels;
  std::vector<float> weights;
  Problem() {
    for (std::size_t i = 0; i < rows; ++i) {
      labels.push_back(static_cast<int>(i * 7 % 4));
      weights.push_back(static_cast<float>(i % 4));
    }
  }
  /// Each row as often as it weighs.
  Problem repeated() const {
    Problem all;
    std::vector<float> xs, ys;
    all.labels.clear();
    for (std::size_t i = 0; i < rows; ++i)
      for (float k = 0; k < weights[i]; ++k) {
        xs.insert(xs.end(), x.values().data() + i * 3, x.values().data() + (i + 1) * 3);
        ys.insert(ys.end(), y.values().data() + i * 4, y.values().data() + (i + 1) * 4);
        all.labels.push_back(labels[i]);
      }
    all.x = Tensor<float, Shape<3>>(xs);
    all.y = Tensor<float, Shape<4>>(ys);
    return all;
  }
};

/// The loss of a batch, then its gradient.
template <class Device, class Precision, class Loss, class... Batches>
std::vector<double> gradient(const Device& device, Precision, const Loss& loss, const Batches&... batches) {
  Network<Net, Device, Precision> net(device, {.seed = 3});
  Trainer trainer{net, loss, SGD{.lr = 0.1}};
  std::vector<double> all;
  ((all = {static_cast<double>(trainer.accumulate(batches))}), ...);
  for (const auto& p : net.parameters()) all.insert(all.end(), p.gradient.begin(), p.gradient.end());
  return all;
}
template <class Loss, class D>
std::vector<double> gradient(const Loss& loss, const D& data) {
  return gradient(Reference{}, Float64{}, loss, data);
}

const WeightedCrossEntropyLoss<4> uneven{.weight = {1, 0.5, 2, 0.25}, .ignore_index = 1, .label_smoothing = 0.1};

}  // namespace

TEST_CASE("a row of weight 2 counts as if it were there twice") {
  const Problem p, all = p.repeated();
  const auto check = [&](const auto& loss, const auto& weighted, const auto& plain) {
    CHECK(closeness::relative_error(gradient(loss, weighted), gradient(loss, plain)) < 1e-13);
    const Network<Net, Host, Float64> net;
    CHECK(evaluate(net, weighted, loss).loss == doctest::Approx(evaluate(net, plain, loss).loss).epsilon(1e-13));
  };
  check(CrossEntropyLoss{}, dataset(p.x, p.labels, p.weights), dataset(all.x, all.labels));
  check(uneven, dataset(p.x, p.labels, p.weights), dataset(all.x, all.labels));
  check(MSELoss{}, dataset(p.x, p.y, p.weights), dataset(all.x, all.y));
  check(HuberLoss{.delta = 0.5}, dataset(p.x, p.y, p.weights), dataset(all.x, all.y));
  check(BCEWithLogitsLoss{}, dataset(p.x, p.y, p.weights), dataset(all.x, all.y));
}

TEST_CASE("weights: the host against the reference, any number of threads the same bits") {
  const Problem p;
  const auto labelled = dataset(p.x, p.labels, p.weights);
  const auto matched = dataset(p.x, p.y, p.weights);
  CHECK(closeness::relative_error(gradient(Host{}, Float64{}, uneven, labelled), gradient(uneven, labelled)) < 1e-12);
  CHECK(closeness::relative_error(gradient(Host{}, Float64{}, L1Loss{}, matched), gradient(L1Loss{}, matched)) < 1e-12);
  CHECK(closeness::relative_error(gradient(Host{}, Float32{}, uneven, labelled), gradient(uneven, labelled)) < 1e-5);
  const auto alone = gradient(Host{}, Float32{}, uneven, labelled);
  for (const int threads : {2, 3}) CHECK(gradient(Host{.threads = threads}, Float32{}, uneven, labelled) == alone);
}

TEST_CASE("weights of 1, and classes of 1, change no bit") {
  const Problem p;
  const std::vector<double> ones(rows, 1);
  CHECK(gradient(Host{}, Float32{}, MSELoss{}, dataset(p.x, p.y, ones)) ==
        gradient(Host{}, Float32{}, MSELoss{}, dataset(p.x, p.y)));
  CHECK(gradient(Host{}, Float32{}, CrossEntropyLoss{}, dataset(p.x, p.labels, ones)) ==
        gradient(Host{}, Float32{}, CrossEntropyLoss{}, dataset(p.x, p.labels)));
}

TEST_CASE("ignored rows are as good as absent") {
  const Problem p;
  Problem others;
  std::vector<float> xs;
  others.labels.clear();
  for (std::size_t i = 0; i < rows; ++i)
    if (p.labels[i] != 1) {
      xs.insert(xs.end(), p.x.values().data() + i * 3, p.x.values().data() + (i + 1) * 3);
      others.labels.push_back(p.labels[i]);
    }
  others.x = Tensor<float, Shape<3>>(xs);
  const auto all = dataset(p.x, p.labels);
  const auto some = dataset(others.x, others.labels);
  CHECK(closeness::relative_error(gradient(uneven, all), gradient(uneven, some)) < 1e-13);
  const Network<Net> net;
  CHECK(evaluate(net, all, uneven).accuracy == evaluate(net, some, uneven).accuracy);
  CHECK(evaluate(net, all, uneven).loss == doctest::Approx(evaluate(net, some, uneven).loss).epsilon(1e-6));
}

TEST_CASE("micro-batches: the mean is over the weights of all") {
  const Problem p;
  const auto data = dataset(p.x, p.labels, p.weights);
  auto whole = gradient(uneven, data);
  auto parts =
      gradient(Reference{}, Float64{}, uneven, subset(data, 0, 1), subset(data, 1, 7), subset(data, 8, rows - 8));
  whole[0] = parts[0] = 0;  // the loss is that of the last batch
  CHECK(closeness::relative_error(parts, whole) < 1e-13);
  // A batch that counts nothing, before, between and after.
  const std::vector<int> none(3, 1);
  const auto nothing = dataset(subset(data, 0, 3).inputs(), std::span<const int>(none), std::span(p.weights).first(3));
  auto with_nothing = gradient(Reference{}, Float64{}, uneven, nothing, subset(data, 0, 8), nothing,
                               subset(data, 8, rows - 8), nothing);
  CHECK(with_nothing[0] == 0);
  with_nothing[0] = 0;
  CHECK(closeness::relative_error(with_nothing, whole) < 1e-13);
}

TEST_CASE("a batch of which nothing counts has the loss 0, and moves nothing") {
  const Problem p;
  const std::vector<int> ignored(rows, 1);
  Network<Net> net{{.seed = 5}}, before;
  before = net;
  Trainer trainer{net, uneven, SGD{.lr = 0.1}};
  CHECK(trainer.step(p.x, ignored) == 0);
  CHECK(trainer.problem().empty());
  for (std::size_t i = 0; i < net.parameters().size(); ++i)
    CHECK(std::equal(net.parameters()[i].value.begin(), net.parameters()[i].value.end(),
                     before.parameters()[i].value.begin()));
  CHECK(evaluate(net, dataset(p.x, ignored), uneven).loss == 0);
}

TEST_CASE("the gradient of the input is of the mean over the weights") {
  const Problem p;
  Network<Net, Reference, Float64> net{{.seed = 3}};
  Trainer trainer{net, uneven, SGD{.lr = 0.1}};
  const Tensor<double, Shape<3>> x(std::vector<double>(p.x.values().begin(), p.x.values().end()));
  Tensor<double, Shape<3>> dx;
  const auto loss = [&](const std::vector<double>& at) {
    trainer.clear();
    return static_cast<double>(trainer.accumulate(Tensor<double, Shape<3>>(at), p.labels));
  };
  const auto want = closeness::central_differences(loss, std::vector<double>(x.values().begin(), x.values().end()));
  trainer.clear();
  trainer.accumulate(x, p.labels, dx);
  CHECK(closeness::relative_error(dx.values(), want) < 1e-6);
  trainer.accumulate(x, p.labels, dx);  // after another batch
  CHECK(closeness::relative_error(dx.values(), want) < 1e-6);
}

TEST_CASE("fit with weights: rows of weight 0 are not learned, and the validation is weighed too") {
  const auto points = disc(400, 1);
  std::vector<int> spoilt(points.targets().begin(), points.targets().end());
  std::vector<float> weights(400, 1);
  for (std::size_t i = 0; i < 400; i += 3) {
    spoilt[i] = 1 - spoilt[i];
    weights[i] = 0;
  }
  struct Disc : Sequential<Input<2>, Linear<16>, Tanh, Linear<2>> {};
  const auto inputs = points.inputs();
  const auto weighed = dataset(inputs, spoilt, weights);
  const auto train = [&](const auto& data, const auto& loss) {
    Network<Disc> net{NetworkOptions{.seed = 1}};
    const History history =
        fit(net, data, loss, Adam{.lr = 0.02}, {.batch_size = 25, .epochs = 25, .validation = &data});
    CHECK(history.stopped.empty());
    CHECK(history.epochs.back().train_loss < history.epochs.front().train_loss);
    CHECK(history.epochs.back().validation_loss == evaluate(net, data, loss).loss);
    return score(net, points);
  };
  CHECK(train(weighed, CrossEntropyLoss{}) > 0.95);
  CHECK(train(weighed, WeightedCrossEntropyLoss<2>{.weight = {1, 2}}) > 0.95);
  std::vector<int> ignored = spoilt;
  for (std::size_t i = 0; i < 400; i += 3) ignored[i] = -100;
  CHECK(train(dataset(inputs, ignored), WeightedCrossEntropyLoss<2>{}) > 0.95);
}

TEST_CASE("bad weights are refused with a message") {
  const Problem p;
  Network<Net> net;
  const std::vector<float> few(3, 1), below(rows, -1);
  std::vector<float> infinite(rows, 1);
  infinite[4] = std::numeric_limits<float>::infinity();
  check_refused([&] { dataset(p.x, p.labels, few); }, {"17 rows", "3 weights"});
  check_refused([&] { fit(net, dataset(p.x, p.labels, below), CrossEntropyLoss{}, SGD{}); },
                {"weight of row 0", "-1", "expected 0 or a number from 1e-30 to 1e30"});
  check_refused([&] { evaluate(net, dataset(p.x, p.labels, infinite), CrossEntropyLoss{}); }, {"weight of row 4"});
  Trainer trainer{net, CrossEntropyLoss{}, SGD{}};
  check_refused([&] { trainer.step(dataset(p.x, p.labels, below)); }, {"weight of row 0"});
  check_refused([&] { fit(net, dataset(p.x, p.labels), CrossEntropyLoss{.label_smoothing = 2}, SGD{}); },
                {"label_smoothing = 2"});
  check_refused([&] { Trainer(net, WeightedCrossEntropyLoss<4>{.weight = {1, 1, -1, 1}}, SGD{}); }, {"weight[2]"});
  for (const float size : {1e-40f, 3e38f}) {
    const std::vector<float> extreme(rows, size);
    check_refused([&] { trainer.step(dataset(p.x, p.labels, extreme)); },
                  {"weight of row 0", "scale all weights alike"});
    check_refused([&] { CrossEntropyLoss{}(p.y, p.labels, extreme); }, {"row 0", "scale all weights alike"});
  }
  const std::vector<float> large(rows, 1e20f), small(rows, 1e-20f);
  const WeightedCrossEntropyLoss<4> larger{.weight = {1e20, 1e20, 1e20, 1e20}},
      smaller{.weight = {1e-20, 1e-20, 1e-20, 1e-20}};
  check_refused([&] { evaluate(net, dataset(p.x, p.labels, large), larger); }, {"sum to", "scale all weights alike"});
  check_refused([&] { fit(net, dataset(p.x, p.labels, small), smaller, SGD{}); },
                {"sum to", "scale all weights alike"});
  const std::vector<int> labels(rows, -100);
  check_refused([&] { fit(net, dataset(p.x, labels), CrossEntropyLoss{}, SGD{}); }, {"row 0", "-100"});
}
