// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "sinter/thrust.cuh"
#include "to_device.hpp"

/// Data in the memory of a GPU, by Thrust and CUB, beside the functions of the same names on the host.
namespace sinter_test::device_data {
using namespace sinter;

struct Classifier : Sequential<Input<3>, Linear<8>, Tanh, Linear<4>> {};

inline int wrong = 0;

inline void check(const std::string& what, bool right) {
  wrong += !right;
  std::printf("%-70s %s\n", what.c_str(), right ? "ok" : "WRONG");
}
template <class Action>
std::string error_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// Data of so many rows.
inline void run(std::size_t rows) {
  const std::string size = std::to_string(rows) + " rows: ";
  Tensor<float, Shape<3>> x(rows);
  std::vector<int> labels(rows);
  std::vector<std::uint32_t> counts(5);
  for (std::size_t i = 0; i < rows; ++i) {
    for (int k = 0; k < 3; ++k) x(i, k) = static_cast<float>((i * 37 + static_cast<std::size_t>(k) * 11) % 64) / 16 - 2;
    labels[i] = i % 10 == 0 ? 2 : static_cast<int>(i % 2);
    ++counts[static_cast<std::size_t>(labels[i])];
  }
  const std::vector<float> numbers(x.values().begin(), x.values().end());
  const auto x_there = to_device(numbers);
  const auto labels_there = to_device(labels);
  const auto rows_there = device_rows<Shape<3>>(x_there);

  check(size + "counts of classes", class_counts(labels_there, 5) == counts);
  auto other = labels;
  other[rows / 2] = 7;
  const auto other_there = to_device(other);
  const std::string error = error_of([&] { check_device_labels(other_there, 5); });
  check(size + "a wrong label", error.find("row " + std::to_string(rows / 2) + " of the labels is 7") != error.npos);

  const Network<Classifier> net{{.seed = 3}};
  const auto outputs = predict(net, x);
  const auto outputs_there = to_device(std::vector<float>(outputs.values().begin(), outputs.values().end()));
  check(size + "a confusion matrix", confusion_matrix(device_rows<Shape<4>>(outputs_there), labels_there).text() ==
                                         confusion_matrix(net, dataset(x, labels)).text());

  const auto order = stratified_rows(labels_there, 3, 4, 11);
  check(size + "an order of stratified folds", here(order) == stratified_rows(dataset(x, labels), 4, 11));
  const auto chosen = subset(dataset(rows_there, labels_there), order);
  const auto want = subset(dataset(x, labels), here(order));
  std::vector<float> copied(numbers.size());
  cuda_check(cudaMemcpy(copied.data(), chosen.inputs().data, copied.size() * sizeof(float), cudaMemcpyDeviceToHost),
             "looking");
  check(size + "chosen rows", std::equal(copied.begin(), copied.end(), want.inputs().data));
  const auto balanced = here(balanced_rows(labels_there, 5, 3 * rows, 1));
  int turns = 0;
  for (std::size_t i = 0; i + 1 < balanced.size(); ++i) turns += labels[balanced[i]] != labels[balanced[i + 1]];
  check(size + "a balanced order",
        balanced.size() == 3 * rows && (rows == 1 || turns + 1 == static_cast<int>(balanced.size())));

  const NormalizeColumns scale = standardise(x), found = standardise(rows_there);
  bool close = true;
  for (std::size_t i = 0; i < 3; ++i)
    close = close && std::abs(scale.mean[i] - found.mean[i]) < 1e-12 &&
            std::abs(scale.deviation[i] - found.deviation[i]) < 1e-12;
  check(size + "means and deviations of columns", close);
  auto scaled = to_device(numbers);
  apply_columns<Shape<3>>(scale, scaled);
  auto scaled_here = x;
  scale.apply(scaled_here);
  check(size + "scaled rows", std::ranges::equal(scaled_here.values(), here(scaled)));
}

/// So many pictures of 2 channels of 5 x 4 pixels.
inline void run_pictures(std::size_t rows) {
  using Row = Shape<2, 5, 4>;
  std::vector<std::uint8_t> pixels(rows * 40);
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::uint8_t>(i * 7 % 251);
  const std::vector<int> labels(rows);
  const auto pixels_there = to_device(pixels);
  const auto labels_there = to_device(labels);
  const TensorView<const std::uint8_t, Row> pictures{pixels.data(), rows};
  const auto on_host = dataset(pictures, labels, Normalize::pixels(0.5f, 1));
  const auto on_device = dataset(device_rows<Row>(pixels_there), labels_there, Normalize::pixels(0.5f, 1));
  const RandomCrop crop{.padding = 2};
  const RandomHorizontalFlip flip{};
  const auto want = augment(on_host, {.seed = 3, .fill = 9}, crop, flip).epoch(4);
  const auto got = augment(on_device, {.seed = 3, .fill = 9}, crop, flip).epoch(4);
  std::vector<std::uint8_t> copied(pixels.size());
  cuda_check(cudaMemcpy(copied.data(), got.inputs().data, copied.size(), cudaMemcpyDeviceToHost), "looking");
  check(std::to_string(rows) + " pictures: flipped and cropped",
        std::equal(copied.begin(), copied.end(), want.inputs().data));
}

inline void run_without_rows() {
  const CudaArray<int> labels;
  check("no rows: counts of classes", class_counts(labels, 3) == std::vector<std::uint32_t>(3));
  check("no rows: an order of stratified folds", stratified_rows(labels, 3, 2, 1).size() == 0);
  const TensorView<const float, Shape<3>, CudaMemory> outputs{nullptr, 0};
  check("no rows: a confusion matrix", confusion_matrix(outputs, labels).rows() == 0);
  const std::string error = error_of([&] { standardise(outputs); });
  check("no rows: means and deviations of columns", error.find("has no number to take a mean of") != error.npos);
}

}  // namespace sinter_test::device_data
