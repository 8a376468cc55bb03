// SPDX-License-Identifier: MIT
// labels: threads large sanitized
#include "sinter/train/heads.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "sinter/sinter.hpp"
#include "support/error_of.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

struct Net : Sequential<Input<4>, Linear<8>, Tanh, Heads<Path<Linear<3>>, Path<Linear<2>>>> {};
constexpr auto loss = head_losses<Net>(CrossEntropyLoss{}, 0.25 * MSELoss{});
static_assert(loss.count == 2 && loss.outputs == 5 && loss.target_size == 3);
static_assert(detail::HeadsOf<Net>::first[1] == 3 && detail::HeadsOf<Network<Net>>::first[2] == 5);
static_assert(Program<Net>::output == features(5) && Layer<Net::LayerTypes::At<2>>);
static_assert(Heads<Path<>, Path<Flatten, Linear<2>>>::result(image(1, 2, 2)) == features(6));
static_assert(!Heads<Path<>, Path<Linear<2>>>::accepts(image(1, 2, 2)));

/// Rows whose class and numbers follow from them.
struct Task {
  Tensor<float, Shape<4>> x = inputs<Shape<4>>(120);
  Tensor<float, Shape<3>> wanted;
  Task() : wanted(120) {
    for (std::size_t i = 0; i < 120; ++i) {
      wanted(i, 0) = x(i, 0) < -0.3f ? 0.0f : x(i, 0) < 0.3f ? 1.0f : 2.0f;
      wanted(i, 1) = x(i, 1) + x(i, 2);
      wanted(i, 2) = x(i, 3) * 0.5f;
    }
  }
};

}  // namespace

TEST_CASE("the sum of its heads' losses, weighted") {
  const float y[] = {0.5f, -1, 2, 0.25f, -0.5f}, target[] = {2, 1, -1};
  const float kind = CrossEntropyLoss{}.forward(y, 3, 2.0f), place = MSELoss{}.forward(y + 3, 2, target + 1);
  CHECK(loss.forward(y, 5, target) == doctest::Approx(kind + 0.25f * place));
  float dy[5], dkind[3], dplace[2];
  loss.backward(y, 5, target, 0.5f, dy);
  CrossEntropyLoss{}.backward(y, 3, 2.0f, 0.5f, dkind);
  MSELoss{}.backward(y + 3, 2, target + 1, 0.125f, dplace);
  for (int i = 0; i < 3; ++i) CHECK(dy[i] == dkind[i]);
  for (int i = 0; i < 2; ++i) CHECK(dy[3 + i] == doctest::Approx(dplace[i]));

  // On tensors, as every loss.
  const Tensor<float, Shape<5>> outputs(std::vector<float>(y, y + 5));
  const Tensor<float, Shape<3>> targets(std::vector<float>(target, target + 3));
  CHECK(loss(outputs, targets).value == doctest::Approx(kind + 0.25f * place));
}

TEST_CASE("fit learns all heads, on each device alike") {
  const Task task;
  const auto data = dataset(task.x, task.wanted);
  const auto train = [&]<class Device>(Device device) {
    Network<Net, Device, Float64> net(device, {.seed = 2});
    FitOptions<std::remove_const_t<decltype(data)>> options{.batch_size = 20, .epochs = 60};
    options.validation = &data;
    const History history = fit(net, data, loss, Adam{.lr = 0.02}, options);
    CHECK(history.epochs.back().validation_loss == doctest::Approx(evaluate(net, data, loss).loss));
    return net;
  };
  const auto net = train(Host{.threads = 2});
  const auto [kind, place] = evaluate_heads(net, data, loss);
  CHECK(kind.accuracy > 0.95);
  CHECK(place.loss < 0.05);  // 0.4 if nothing were learned
  const auto reference = train(Reference{});
  for (std::size_t i = 0; i < Program<Net>::arena_size; ++i)
    CHECK(std::abs(net.data()[i] - reference.data()[i]) < 1e-9);
}

TEST_CASE("rows have weights") {
  const Task task;
  std::vector<float> weights(120, 0);
  weights[7] = 3;
  const Network<Net> net;
  const auto one = evaluate_heads(net, subset(dataset(task.x, task.wanted), 7, 1), loss);
  const auto all = evaluate_heads(net, dataset(task.x, task.wanted, weights), loss);
  CHECK(all[0].loss == doctest::Approx(one[0].loss));
  CHECK(all[1].loss == doctest::Approx(one[1].loss));
}

// Also by weights of rows, and batches in which a head has no label: against one head at a time.
TEST_CASE("weights of classes in a head, on each device alike") {
  constexpr auto uneven =
      head_losses<Net>(WeightedCrossEntropyLoss<3>{.weight = {1, 4, 0.5}, .ignore_index = -1}, 0.25 * MSELoss{});
  Task task;
  std::vector<float> weights(120);
  for (std::size_t i = 0; i < 120; ++i) {
    weights[i] = static_cast<float>(i % 4);
    if (i < 40 || i % 3 == 0) task.wanted(i, 0) = -1;
  }
  const auto data = dataset(task.x, task.wanted, weights);
  const auto train = [&]<class Device>(Device device) {
    Network<Net, Device, Float64> net(device, {.seed = 2});
    const History history = fit(net, data, uneven, SGD{.lr = 0.05}, {.batch_size = 20, .epochs = 3, .shuffle = false});
    CHECK(history.stopped.empty());
    return net;
  };
  const auto net = train(Host{.threads = 2});
  const auto reference = train(Reference{});
  for (std::size_t i = 0; i < Program<Net>::arena_size; ++i)
    CHECK(std::abs(net.data()[i] - reference.data()[i]) < 1e-9);

  const auto y = predict(net, data);
  double kind = 0, place = 0, kinds = 0, rows = 0;
  for (std::size_t i = 0; i < 120; ++i) {
    const double w = weights[i];
    rows += w;
    place += w * MSELoss{}.forward(y.data() + 5 * i + 3, 2,
                                   std::vector<double>{task.wanted(i, 1), task.wanted(i, 2)}.data());
    if (task.wanted(i, 0) < 0) continue;
    const double of_class = task.wanted(i, 0) == 1 ? 4 : task.wanted(i, 0) == 0 ? 1 : 0.5;
    kind += w * of_class * CrossEntropyLoss{}.forward(y.data() + 5 * i, 3, static_cast<double>(task.wanted(i, 0)));
    kinds += w * of_class;
  }
  const auto each = evaluate_heads(net, data, uneven);
  CHECK(each[0].loss == doctest::Approx(kind / kinds));
  CHECK(each[1].loss == doctest::Approx(place / rows));
  CHECK(evaluate(net, data, uneven).loss == doctest::Approx(kind / kinds + 0.25 * place / rows));
  CHECK(uneven(y, task.wanted, weights).value == doctest::Approx(kind / kinds + 0.25 * place / rows));

  // A batch without any label of the head: its gradient is the other's alone, though labels are smoothed.
  constexpr auto smooth = head_losses<Net>(
      WeightedCrossEntropyLoss<3>{.weight = {1, 4, 0.5}, .ignore_index = -1, .label_smoothing = 0.1}, 0.25 * MSELoss{});
  Network<Net, Host, Float64> fresh{NetworkOptions{.seed = 2}};
  const auto before = fresh;
  Trainer trainer{fresh, smooth, SGD{.lr = 0.1}};
  trainer.step(subset(data, 0, 20));
  CHECK(trainer.problem().empty());
  const auto then = before.parameters();
  const auto now = fresh.parameters();
  REQUIRE(now.size() == 6);  // weight and bias of the trunk, of the head without labels, and of the other
  for (std::size_t i = 0; i < 6; ++i) {
    CAPTURE(now[i].name);
    CHECK(std::ranges::equal(now[i].value, then[i].value) == (i == 2 || i == 3));
  }
  CHECK(evaluate_heads(fresh, subset(data, 0, 20), smooth)[0].loss == 0);

  for (const float wrong : {-2.0f, -1.5f}) {
    task.wanted(5, 0) = wrong;
    CHECK(has(error_of([&] { fit(fresh, data, uneven, SGD{.lr = 0.1}, {.epochs = 1}); }),
              "row 5 of the targets has the class " + exact_text(wrong)));
  }
}

// With weights of classes the heads' denominators differ from batch to batch, and their gradients are one sum by then.
TEST_CASE("micro-batches are one larger batch; with weights of classes the mean of theirs, by their rows") {
  const Task task;
  const auto data = dataset(task.x, task.wanted);
  const std::size_t ends[] = {0, 13, 17, 40};
  using Gradient = std::vector<double>;
  const auto gradient_of = [&](const auto& by, std::initializer_list<std::size_t> batches) {
    Network<Net, Host, Float64> net{NetworkOptions{.seed = 2}};
    Trainer trainer{net, by, SGD{.lr = 0.1}};
    for (const std::size_t b : batches)
      trainer.accumulate(b < 3 ? subset(data, ends[b], ends[b + 1] - ends[b]) : subset(data, 0, 40));
    return Gradient(net.gradient().data(), net.gradient().data() + Program<Net>::arena_size);
  };
  const auto difference = [](const Gradient& a, const Gradient& b) {
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
    return most;
  };
  CHECK(difference(gradient_of(loss, {0, 1, 2}), gradient_of(loss, {3})) < 1e-14);

  constexpr auto uneven = head_losses<Net>(WeightedCrossEntropyLoss<3>{.weight = {1, 4, 0.5}}, 0.25 * MSELoss{});
  const Gradient micro = gradient_of(uneven, {0, 1, 2});
  CHECK(difference(micro, gradient_of(uneven, {3})) > 1e-3);
  Gradient mean(micro.size());
  for (std::size_t b = 0; b < 3; ++b) {
    const Gradient own = gradient_of(uneven, {b});
    for (std::size_t i = 0; i < own.size(); ++i) mean[i] += own[i] * static_cast<double>(ends[b + 1] - ends[b]) / 40;
  }
  CHECK(difference(micro, mean) < 1e-14);
}

TEST_CASE("a class that a head does not have is refused, by its row") {
  Task task;
  Network<Net> net;
  for (const float wrong : {3.0f, -1.0f, 0.5f}) {
    task.wanted(5, 0) = wrong;
    const std::string text =
        "row 5 of the targets has the class " + exact_text(wrong) +
        " for head 0, expected a whole number from 0 to 2; give each head its targets, in the order "
        "of the heads";
    const auto data = dataset(task.x, task.wanted);
    CHECK(error_of([&] { fit(net, data, loss, SGD{.lr = 0.1}, {.epochs = 1}); }) == text);
    CHECK(error_of([&] { evaluate(net, data, loss); }) == text);
    CHECK(error_of([&] { evaluate_heads(net, data, loss); }) == text);
    Trainer trainer{net, loss, SGD{.lr = 0.1}};
    CHECK(error_of([&] { trainer.step(task.x, task.wanted); }) == text);
    CHECK(error_of([&] { trainer.step(data); }) == text);
  }
  task.wanted(5, 0) = 1;
  task.wanted(5, 2) = std::numeric_limits<float>::quiet_NaN();
  CHECK(has(error_of([&] { fit(net, dataset(task.x, task.wanted), loss, SGD{.lr = 0.1}, {.epochs = 1}); }), "nan"));
}

TEST_CASE("a weight below zero is refused") {
  Network<Net> net;
  CHECK(has(error_of([&] { Trainer{net, head_losses<Net>(CrossEntropyLoss{}, -1 * MSELoss{}), SGD{.lr = 0.1}}; }),
            "MSELoss was given weight = -1"));
  const Tensor<float, Shape<5>> y{{1, 2, 3, 4, 5}};
  CHECK(has(
      error_of([&] { head_losses<Net>(CrossEntropyLoss{}, -1 * MSELoss{})(y, Tensor<float, Shape<3>>{{1, 1, 1}}); }),
      "MSELoss was given weight = -1"));
}

TEST_CASE("targets that a head does not compare with are refused on tensors in the words of a step") {
  constexpr auto judged = head_losses<Net>(CrossEntropyLoss{}, BCEWithLogitsLoss{});
  const Tensor<float, Shape<4>> x(2);
  const Tensor<float, Shape<5>> y(2);
  Network<Net> net;
  Trainer trainer{net, judged, SGD{.lr = 0.1}};
  for (const float wrong : {7.0f, -1.0f, 1.5f, std::numeric_limits<float>::quiet_NaN()}) {
    const Tensor<float, Shape<3>> targets{{1, 0, 1, wrong, 0, 1}};
    const std::string text = error_of([&] { judged(y, targets); });
    CHECK(has(text, "row 1 of the targets has the class "));
    CHECK(has(text, " for head 0, expected a whole number from 0 to 2"));
    CHECK(text == error_of([&] { trainer.step(x, targets); }));
    CHECK(text == error_of([&] { judged(y, targets, std::vector{1.0f, 2.0f}); }));
  }
  const Tensor<double, Shape<3>> targets{{1, 0, 2, 1, 0, 1}};
  const std::string text = error_of([&] { judged(y, targets); });
  CHECK(has(text, "number 2 of row 0 of the targets is 2, and BCEWithLogitsLoss compares with probabilities"));
  CHECK(text == error_of([&] { trainer.step(x, targets); }));
  CHECK(error_of([&] { judged(y, Tensor<float, Shape<3>>{{1, 0, 1, 2, 0, 1}}); }) == "(no error)");
  // A label that the loss ignores is no mistake.
  constexpr auto ignoring =
      head_losses<Net>(WeightedCrossEntropyLoss<3>{.weight = {1, 1, 1}, .ignore_index = -1}, MSELoss{});
  CHECK(error_of([&] { ignoring(y, Tensor<float, Shape<3>>{{-1, 0, 1, 2, 0, 1}}); }) == "(no error)");
  CHECK(
      has(error_of([&] { ignoring(y, Tensor<float, Shape<3>>{{-2, 0, 1, 2, 0, 1}}); }), "has the class -2 for head 0"));
}
