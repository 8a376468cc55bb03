// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "flops.hpp"
#include "sinter/data/mnist.hpp"
#include "sinter/layers/activation.hpp"
#include "sinter/layers/conv2d.hpp"
#include "sinter/layers/dropout.hpp"
#include "sinter/layers/flatten.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/layers/pool2d.hpp"

namespace bench {

using namespace sinter::internal;

/// The workload W1: the MNIST network of PyTorch's examples.
struct W1 : Sequential<Input<1, 28, 28>, Conv2d<10, 5>, MaxPool2d<2>, ReLU, Conv2d<20, 5>, Dropout2d<0.5>, MaxPool2d<2>,
                       ReLU, Flatten, Linear<50>, ReLU, Dropout<0.5>, Linear<10>, LogSoftmax> {};

static_assert(forward_flops<W1>() == 961'000 && training_flops<W1>() == 2'595'000);

/// The first `rows` rows, from the start again where there are fewer.
inline Mnist::Data repeated(const Mnist::Data& data, std::size_t rows) {
  constexpr std::size_t pixels = 28 * 28;
  std::vector<std::uint8_t> images(rows * pixels), labels(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t from = i % data.size();
    std::memcpy(images.data() + i * pixels, data.inputs().row(from), pixels);
    labels[i] = data.targets()[from];
  }
  return {std::move(images), std::move(labels), data.normalize()};
}

/// 60,000 and 10,000 digits: from a folder, or the one that SINTER_MNIST_DIR names; else the embedded subset, repeated.
inline Mnist digits(std::string folder) {
  if (const char* given = std::getenv("SINTER_MNIST_DIR"); folder.empty() && given) folder = given;
  if (folder.empty()) folder = SINTER_MNIST_SUBSET;
  Mnist all = read_mnist(folder);
  if (all.train.size() != 60000) all.train = repeated(all.train, 60000);
  if (all.test.size() != 10000) all.test = repeated(all.test, 10000);
  return all;
}
/// The same from --data DIR, which is taken off the command line.
inline Mnist digits(int& count, char** values) {
  std::string folder;
  for (int i = 1; i + 1 < count; ++i) {
    if (std::string(values[i]) != "--data") continue;
    folder = values[i + 1];
    for (int k = i; k + 2 <= count; ++k) values[k] = values[k + 2];
    count -= 2;
    break;
  }
  return digits(folder);
}

}  // namespace bench
