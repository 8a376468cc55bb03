// SPDX-License-Identifier: MIT
// labels: cuda
// What Thrust does with data of the device, by its system for CPUs: the results of the same functions on the host.
#define THRUST_DEVICE_SYSTEM THRUST_DEVICE_SYSTEM_CPP
#include <doctest/doctest.h>
#include <thrust/device_vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <sinter/thrust.cuh>
#include <string>
#include <vector>

#include "support/cuda_on_host.hpp"
#include "support/error_of.hpp"
#include "support/fake_cuda/visible_memory.hpp"
#include "support/training.hpp"
#include "to_device.hpp"

using namespace sinter;
using namespace sinter_test;

namespace {

const fake_cuda::VisibleMemory visible;  // to Thrust

std::vector<float> numbers_of(const auto& tensor) { return {tensor.values().begin(), tensor.values().end()}; }

struct Classifier : Sequential<Input<3>, Linear<8>, Tanh, Linear<4>> {};
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN(),
                infinity = std::numeric_limits<float>::infinity();

}  // namespace

TEST_CASE_TEMPLATE("labels are checked and counted", Label, std::uint8_t, int, long long) {
  for (const std::size_t rows : {1u, 7u, 257u}) {
    std::vector<Label> labels(rows);
    std::vector<std::uint32_t> want(5);
    for (std::size_t i = 0; i < rows; ++i) ++want[static_cast<std::size_t>(labels[i] = static_cast<Label>(i * i % 4))];
    CHECK(class_counts(to_device(labels), 5) == want);
    const thrust::device_vector<Label> in_thrust(labels.begin(), labels.end());
    CHECK(class_counts(in_thrust, 5) == want);
    check_device_labels(in_thrust, 4);
    labels[rows - 1] = 100;
    labels[rows / 2] = 6;
    CHECK(has(error_of([&] { check_device_labels(to_device(labels), 5); }),
              "row " + std::to_string(rows / 2) + " of the labels is 6, expected 0 to 4"));
    CHECK(has(error_of([&] { class_counts(to_device(labels), 5); }), "of the labels is 6, expected 0 to 4"));
  }
  CHECK(class_counts(CudaArray<Label>(), 3) == std::vector<std::uint32_t>(3));
  CHECK(has(error_of([] { class_counts(CudaArray<Label>(), 0); }), "asked for 0 classes"));
}

TEST_CASE("negative labels") {
  const auto labels = to_device(std::vector<int>{0, 1, -1, 7});
  CHECK(has(error_of([&] { check_device_labels(labels, 2); }), "row 2 of the labels is -1, expected 0 to 1"));
}

TEST_CASE("a confusion matrix of outputs on the device") {
  auto x = inputs<Shape<3>>(101, 2.0);
  std::vector<int> labels(101);
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<int>(i * 7 % 4);
  const Network<Classifier> net{{.seed = 3}};
  const ConfusionMatrix want = confusion_matrix(net, dataset(x, labels));
  auto outputs = numbers_of(predict(net, x));
  const auto labels_there = to_device(labels);
  const auto there = to_device(outputs);
  CHECK(confusion_matrix(device_rows<Shape<4>>(there), labels_there).text() == want.text());

  outputs[4 * 9 + 2] = not_a_number;
  const auto with_nan = to_device(outputs);
  const ConfusionMatrix got = confusion_matrix(device_rows<Shape<4>>(with_nan), labels_there);
  CHECK(got.unanswered() == 1);
  CHECK(got.unanswered(labels[9]) == 1);
  CHECK(got.rows() == 101);

  CHECK(has(error_of([&] { confusion_matrix(device_rows<Shape<2>>(there), labels_there); }),
            "202 rows of outputs and 101 labels; give one for each row"));
  labels[50] = 4;
  const auto wrong = to_device(labels);
  CHECK(has(error_of([&] { confusion_matrix(device_rows<Shape<4>>(there), wrong); }),
            "row 50 of the labels is 4, expected 0 to 3"));
}

TEST_CASE("rows by class: the order of the host") {
  for (const std::size_t rows : {1u, 7u, 64u, 1001u})
    for (const int folds : {1, 2, 5, 9}) {
      std::vector<int> labels(rows);
      for (std::size_t i = 0; i < rows; ++i) labels[i] = i % 10 == 0 ? 2 : static_cast<int>(i % 2);
      const auto x = inputs<Shape<1>>(rows, 1.0);
      CHECK(here(stratified_rows(to_device(labels), 3, folds, 11)) == stratified_rows(dataset(x, labels), folds, 11));
    }
  const thrust::device_vector<std::uint8_t> in_thrust(3, std::uint8_t{1});
  CHECK(stratified_rows(in_thrust, 3, 1, 1).size() == 3);
  CHECK(stratified_rows(CudaArray<int>(), 3, 2, 1).size() == 0);
  CHECK(has(error_of([] { stratified_rows(CudaArray<int>(), 3, 0, 1); }), "asked for 0 folds"));
  const auto labels = to_device(std::vector<int>{0, 3});
  CHECK(has(error_of([&] { stratified_rows(labels, 3, 2, 1); }), "row 1 of the labels is 3, expected 0 to 2"));
}

TEST_CASE("balanced rows: classes take turns, and all rows of each are there equally often") {
  std::vector<int> labels;
  for (int i = 0; i < 50; ++i) labels.push_back(i < 40 ? 0 : i < 48 ? 3 : 1);  // 40, 2 and 8 of classes 0, 1, 3
  const auto there = to_device(labels);
  const auto order = here(balanced_rows(there, 5, 120, 4));
  REQUIRE(order.size() == 120);
  std::vector<int> times(50);
  const int turns[] = {0, 1, 3};
  for (std::size_t i = 0; i < order.size(); ++i) {
    ++times[order[i]];
    CHECK(labels[order[i]] == turns[i % 3]);
  }
  for (int i = 0; i < 50; ++i) CHECK(times[static_cast<std::size_t>(i)] == (i < 40 ? 1 : i < 48 ? 5 : 20));
  CHECK(here(balanced_rows(there, 5, 120, 4)) == order);
  CHECK(here(balanced_rows(there, 5, 120, 5)) != order);
  CHECK(balanced_rows(there, 5, 0, 4).size() == 0);
  CHECK(has(error_of([] { balanced_rows(CudaArray<int>(), 3, 10, 1); }), "was given no rows"));
}

TEST_CASE("chosen rows of a dataset, to train on") {
  const auto x = inputs<Shape<3>>(40, 1.0);
  const auto y = inputs<Shape<2>>(40, 1.0);
  std::vector<int> labels(40);
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<int>(i % 4);
  const auto x_there = to_device(numbers_of(x)), y_there = to_device(numbers_of(y));
  const auto labels_there = to_device(labels);
  const auto order = stratified_rows(labels_there, 4, 5, 1);
  const auto dealt = subset(dataset(device_rows<Shape<3>>(x_there), labels_there), order);
  const auto want = subset(dataset(x, labels), here(order));
  Network<Classifier, Cuda> net{{.seed = 3}};
  Network<Classifier> host{{.seed = 3}};
  const SGD sgd{.lr = 0.1};
  const Fold fold = k_folds(40, 5)[2];
  const History got = fit(net, dealt, CrossEntropyLoss{}, sgd, {.batch_size = 8, .epochs = 2, .held_out = fold});
  const History expected = fit(host, want, CrossEntropyLoss{}, sgd, {.batch_size = 8, .epochs = 2, .held_out = fold});
  CHECK(got.epochs[1].train_loss == doctest::Approx(expected.epochs[1].train_loss).epsilon(1e-5));

  const auto rows_of_targets =
      subset(dataset(device_rows<Shape<3>>(x_there), device_rows<Shape<2>>(y_there), Normalize::values(1, 2)),
             to_device(std::vector<std::uint32_t>{39, 0, 39}));
  CHECK(rows_of_targets.size() == 3);
  CHECK(rows_of_targets.normalize() == Normalize::values(1, 2));
  CHECK(rows_of_targets.targets().data[1] == y(39, 1));  // the memory of this device can be read
  CHECK(rows_of_targets.inputs().data[3] == x(0, 0));

  const auto beyond = to_device(std::vector<std::uint32_t>{3, 40});
  CHECK(has(error_of([&] { subset(dataset(device_rows<Shape<3>>(x_there), labels_there), beyond); }),
            "row 40 of a dataset of 40 rows was asked for"));
}

TEST_CASE("columns and channels get mean 0 and deviation 1") {
  const auto check = [](auto shape, std::size_t rows) {
    using Row = decltype(shape);
    auto x = inputs<Row>(rows, 3.0);
    for (std::size_t i = 0; i < x.values().size(); ++i) x.values()[i] += static_cast<float>(i % Row::size);
    x.values()[0] = not_a_number;
    for (std::size_t i = 0; i < rows; ++i) x.values()[i * Row::size + Row::size - 1] = 7;  // constant, or nearly so
    const NormalizeColumns want = standardise(x);
    auto there = to_device(numbers_of(x));
    const NormalizeColumns got = standardise(device_rows<Row>(there));
    REQUIRE(got.mean.size() == want.mean.size());
    for (std::size_t i = 0; i < want.mean.size(); ++i) {
      CHECK(got.mean[i] == doctest::Approx(want.mean[i]).epsilon(1e-12));
      CHECK(got.deviation[i] == doctest::Approx(want.deviation[i]).epsilon(1e-12));
    }
    apply_columns<Row>(want, there);
    want.apply(x);
    CHECK(here(there) == numbers_of(x));
  };
  check(Shape<1>{}, 5);
  check(Shape<3>{}, 1001);
  check(Shape<2, 7>{}, 33);
  check(Shape<3, 4, 5>{}, 17);
}

TEST_CASE("columns that have no scale") {
  auto x = inputs<Shape<2, 2, 3>>(9, 1.0);
  x(7, 1, 1, 2) = -infinity;
  x(8, 1, 0, 0) = infinity;
  const auto infinite = to_device(numbers_of(x));
  const std::string on_host = error_of([&] { standardise(x); });
  CHECK(has(on_host, "row 7"));
  CHECK(has(on_host, "-inf"));
  CHECK(error_of([&] { standardise(device_rows<Shape<2, 2, 3>>(infinite)); }) == on_host);
  const auto gaps = to_device(std::vector<float>{1, not_a_number, 2, not_a_number});
  CHECK(has(error_of([&] { standardise(device_rows<Shape<2>>(gaps)); }),
            "column 1 of 2 rows has no number to take a mean of"));
  auto numbers = to_device(std::vector<float>{1, 2});
  CHECK(has(error_of([&] { apply_columns<Shape<2>>(NormalizeColumns{{0}, {1}}, numbers); }),
            "rows of 2 columns were to be scaled by 1 means"));
}

TEST_CASE_TEMPLATE("augmented pictures are those of the host", Number, std::uint8_t, float) {
  using Row = Shape<2, 5, 4>;
  for (const std::size_t rows : {1u, 7u, 100u}) {
    std::vector<Number> pixels(rows * 40);
    for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<Number>(i * 7 % 251);
    const std::vector<int> labels(rows, 1);
    const auto scale = Normalize::pixels(0.5f, 1);
    const TensorView<const Number, Row> here{pixels.data(), rows};
    const auto pixels_there = to_device(pixels);
    const auto labels_there = to_device(labels);
    const auto on_host = dataset(here, labels, scale);
    const auto on_device = dataset(device_rows<Row>(pixels_there), labels_there, scale);
    const auto same = [&](const auto&... transforms) {
      const AugmentOptions options{.seed = 3, .fill = 9};
      const auto want = augment(on_host, options, transforms...);
      const auto got = augment(on_device, options, transforms...);
      static_assert(internal::ChangesByEpoch<decltype(got)>);
      for (const std::uint32_t epoch : {0u, 5u}) {
        const auto of_host = want.epoch(epoch);
        const auto of_device = got.epoch(epoch);
        std::vector<Number> numbers(pixels.size());
        cudaMemcpy(numbers.data(), of_device.inputs().data, numbers.size() * sizeof(Number), cudaMemcpyDeviceToHost);
        CHECK(std::equal(numbers.begin(), numbers.end(), of_host.inputs().data));
        CHECK(of_device.normalize() == scale);
        CHECK(of_device.targets().data == labels_there.data());
      }
    };
    same();
    same(RandomHorizontalFlip{}, RandomVerticalFlip{0.3});
    same(RandomCrop{.padding = 2}, RandomHorizontalFlip{});
    same(RandomShift{.horizontal = 7, .vertical = 1});
  }
}

TEST_CASE("fit sees augmented pictures of the device") {
  struct Net : Sequential<Input<1, 6, 6>, Conv2d<3, 3>, ReLU, Flatten, Linear<4>> {};
  const auto x = inputs<Shape<1, 6, 6>>(33);
  const auto labels = labels_for(33, 4);
  const auto x_there = to_device(numbers_of(x));
  const auto labels_there = to_device(labels);
  const auto on_device = dataset(device_rows<Shape<1, 6, 6>>(x_there), labels_there);
  const auto on_host = dataset(x, labels);
  const auto losses = [](auto device, const auto& data) {
    Network<Net, decltype(device)> net{NetworkOptions{.seed = 5}};
    const auto history = fit(net, augment(data, {.seed = 2}, RandomShift{1, 1}, RandomHorizontalFlip{}),
                             CrossEntropyLoss{}, SGD{.lr = 0.1}, {.batch_size = 8, .epochs = 3});
    return history.epochs.back().train_loss;
  };
  CHECK(losses(Cuda{}, on_device) == doctest::Approx(losses(Host{}, on_host)).epsilon(1e-5));
}

TEST_CASE("wrong options of augmentation on the device") {
  const auto pixels = to_device(std::vector<std::uint8_t>(24));
  const auto labels = to_device(std::vector<int>(2));
  const auto data = dataset(device_rows<Shape<1, 3, 4>>(pixels), labels, Normalize::pixels(0.5f, 1));
  CHECK(has(error_of([&] { augment(data, {.fill = 256}, RandomHorizontalFlip{}); }), "given fill = 256"));
  CHECK(has(error_of([&] { augment(data, {}, RandomHorizontalFlip{2}); }), "RandomHorizontalFlip was given p = 2"));
}
