// SPDX-License-Identifier: MIT
// labels: large
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include "sinter/sinter.hpp"
#include "support/error_of.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

struct Trunk : Path<Conv2d<4, 3, Padding<1>>, Tanh> {};
struct Net : Sequential<Input<1, 4, 5>, Trunk,
                        Heads<Named<"mask", Path<Conv2d<3, 1>>>, Path<AdaptiveAvgPool2d<1>, Flatten, Linear<2>>,
                              Named<"image", Path<Conv2d<1, 3, Padding<1>>>>>> {};
constexpr auto loss =
    head_losses<Net>(at_each_pixel<Net, "mask">(CrossEntropyLoss{}), CrossEntropyLoss{}, 0.5 * MSELoss{});
static_assert(loss.count == 3 && loss.outputs == 60 + 2 + 20 && loss.target_size == 20 + 1 + 20);
static_assert(std::is_same_v<Net::OutputRow, Shape<82>>);
static_assert(output_parts<Net>[2].name == "image" && output_parts<Net>[2].first == 62);
static_assert(output_parts<Net>[2].dims == image(1, 4, 5) && output_parts<Net>[1].name.empty());
static_assert(detail::HeadsOf<Net>::index_of<"image"> == 2 && detail::HeadsOf<Net>::index_of<"masks"> == -1);
static_assert(detail::HeadsOf<Net>::index_of<2> == 2 && detail::HeadsOf<Net>::index_of<3> == -1);

/// Pixels whose kind follows from them, whether most are bright, and the negative.
struct Task {
  Tensor<float, Shape<1, 4, 5>> x = inputs<Shape<1, 4, 5>>(60);
  Tensor<float, Shape<41>> wanted;
  Task() : wanted(60) {
    for (std::size_t i = 0; i < 60; ++i) {
      const float* const pixels = x.view().row(i);
      float sum = 0;
      for (int k = 0; k < 20; ++k) {
        wanted(i, k) = pixels[k] < -0.3f ? 0.0f : pixels[k] < 0.3f ? 1.0f : 2.0f;
        wanted(i, 21 + k) = -pixels[k];
        sum += pixels[k];
      }
      wanted(i, 20) = sum > 0 ? 1.0f : 0.0f;
    }
  }
};

/// The same trunk with one head alone.
struct Masks : Sequential<Input<1, 4, 5>, Trunk, Conv2d<3, 1>> {};

/// The network of one head with the parameters of the network of three.
auto masks_of(const Network<Net, Host, Float64>& net) {
  Network<Masks, Host, Float64> masks{NetworkOptions{.seed = 9}};
  for (const char* const name : {"0.0.weight", "0.0.bias"})
    std::ranges::copy(net.parameter(name), masks.parameter(name).begin());
  std::ranges::copy(net.parameter("1.0.0.weight"), masks.parameter("1.weight").begin());
  std::ranges::copy(net.parameter("1.0.0.bias"), masks.parameter("1.bias").begin());
  return masks;
}
Tensor<float, Shape<4, 5>> labels_of(const Task& task) {
  Tensor<float, Shape<4, 5>> labels(60);
  for (std::size_t i = 0; i < 60; ++i) std::copy_n(task.wanted.view().row(i), 20, labels.view().row(i));
  return labels;
}

}  // namespace

TEST_CASE("outputs by number or name, in their shapes") {
  const Task task;
  const Network<Net> net{NetworkOptions{.seed = 3}};
  const auto y = predict(net, task.x);
  const auto mask = head<Net, "mask">(y);
  const auto kind = head<Net, 1>(y);
  const auto picture = head<Net, "image">(y);
  static_assert(std::is_same_v<decltype(mask)::Shape, Shape<3, 4, 5>>);
  static_assert(std::is_same_v<decltype(kind)::Shape, Shape<2>>);
  static_assert(std::is_same_v<decltype(picture)::Shape, Shape<1, 4, 5>>);
  CHECK(mask(7, 2, 3, 1) == y.data()[7 * 82 + 2 * 20 + 3 * 5 + 1]);
  CHECK(kind(7, 1) == y.data()[7 * 82 + 61]);
  CHECK(picture(59, 0, 3, 4) == y.data()[59 * 82 + 81]);
}

TEST_CASE("fit learns all heads, on each device alike") {
  const Task task;
  const auto data = dataset(task.x, task.wanted);
  const auto train = [&]<class Device>(Device device) {
    Network<Net, Device, Float64> net(device, {.seed = 2});
    FitOptions<std::remove_const_t<decltype(data)>> options{.batch_size = 20, .epochs = 80};
    options.validation = &data;
    const History history = fit(net, data, loss, Adam{.lr = 0.02}, options);
    const auto each = evaluate_heads(net, data, loss);
    for (std::size_t h = 0; h < 3; ++h) {
      CHECK(history.epochs.back().heads[h].validation_loss == doctest::Approx(each[h].loss));
      if (h < 2) CHECK(history.epochs.back().heads[h].validation_accuracy == each[h].accuracy);
    }
    return net;
  };
  const auto net = train(Host{.threads = 2});
  const auto [mask, kind, picture] = evaluate_heads(net, data, loss);
  CHECK(mask.accuracy > 0.9);
  CHECK(kind.accuracy > 0.9);
  CHECK(picture.loss < 0.05);  // 0.33 if nothing were learned
  CHECK(std::isnan(picture.accuracy));
  const auto reference = train(Reference{});
  for (std::size_t i = 0; i < Program<Net>::arena_size; ++i)
    CHECK(std::abs(net.data()[i] - reference.data()[i]) < 1e-9);

  const auto masks = masks_of(net);
  const auto labels = labels_of(task);
  const auto alone = at_each_pixel<Masks>(CrossEntropyLoss{});
  CHECK(mask.loss == doctest::Approx(evaluate(masks, dataset(task.x, labels), alone).loss));
  CHECK(mask.accuracy == score(masks, dataset(task.x, labels), alone));
}

// A head's loss is divided by the weights of its own labels, as that of a network with this head alone.
TEST_CASE("weights of classes, and pixels that are left out, in a head") {
  constexpr WeightedCrossEntropyLoss<3> weighted{.weight = {1, 4, 0.5}, .ignore_index = -1};
  constexpr auto uneven = head_losses<Net>(at_each_pixel<Net, 0>(weighted), 0.0 * CrossEntropyLoss{}, 0.0 * MSELoss{});
  Task task;
  for (std::size_t i = 0; i < 60; ++i)
    for (int k = 0; k < 20; ++k)
      if (i < 3 || (static_cast<int>(i) + k) % 4 == 0) task.wanted(i, k) = -1;
  Network<Net, Host, Float64> net{NetworkOptions{.seed = 2}};
  auto masks = masks_of(net);
  const auto labels = labels_of(task);
  const auto data = dataset(task.x, task.wanted);
  const auto alone = at_each_pixel<Masks>(weighted);
  const auto each = evaluate_heads(net, data, uneven);
  CHECK(each[0].loss == doctest::Approx(evaluate(masks, dataset(task.x, labels), alone).loss));
  CHECK(each[0].accuracy == score(masks, dataset(task.x, labels), alone));
  CHECK(evaluate(net, data, uneven).loss == doctest::Approx(each[0].loss));

  fit(net, data, uneven, SGD{.lr = 0.1}, {.batch_size = 25, .epochs = 4, .shuffle = false});
  fit(masks, dataset(task.x, labels), alone, SGD{.lr = 0.1}, {.batch_size = 25, .epochs = 4, .shuffle = false});
  const auto trained = masks_of(net);
  for (std::size_t i = 0; i < Program<Masks>::arena_size; ++i)
    CHECK(std::abs(trained.data()[i] - masks.data()[i]) < 1e-9);
}

TEST_CASE("a class that a pixel cannot have is refused, by its row and position") {
  Task task;
  task.wanted(5, 7) = 3;
  Network<Net> net;
  const auto data = dataset(task.x, task.wanted);
  const std::string text =
      "row 5 of the targets has the class 3 for head 0 at position 7, expected a whole number from 0 to 2; give each "
      "head its targets, in the order of the heads";
  CHECK(error_of([&] { fit(net, data, loss, SGD{.lr = 0.1}, {.epochs = 1}); }) == text);
  CHECK(error_of([&] { evaluate_heads(net, data, loss); }) == text);
  CHECK(error_of([&] { Trainer{net, loss, SGD{.lr = 0.1}}.step(data); }) == text);
}
