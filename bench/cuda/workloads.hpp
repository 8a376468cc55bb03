// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "sinter/sinter.cuh"

/// The networks that the field's tutorials measure, and data of their shapes.
namespace workload {
using namespace sinter::internal;

struct W1 : Sequential<Input<1, 28, 28>, Conv2d<10, 5>, MaxPool2d<2>, ReLU, Conv2d<20, 5>, Dropout2d<0.5>, MaxPool2d<2>,
                       ReLU, Flatten, Linear<50>, ReLU, Dropout<0.5>, Linear<10>, LogSoftmax> {};
struct W2n2 : Sequential<Input<2>, Linear<4>, ReLU, Linear<2>> {};
struct W2n4 : Sequential<Input<2>, Linear<4>, ReLU, Linear<8>, ReLU, Linear<16>, ReLU, Linear<2>> {};
struct W2n6 : Sequential<Input<2>, Linear<4>, ReLU, Linear<8>, ReLU, Linear<16>, ReLU, Linear<32>, ReLU, Linear<64>,
                         ReLU, Linear<2>> {};
struct W2n8 : Sequential<Input<2>, Linear<4>, ReLU, Linear<8>, ReLU, Linear<16>, ReLU, Linear<32>, ReLU, Linear<64>,
                         ReLU, Linear<128>, ReLU, Linear<256>, ReLU, Linear<2>> {};
struct W2n10
    : Sequential<Input<2>, Linear<4>, ReLU, Linear<8>, ReLU, Linear<16>, ReLU, Linear<32>, ReLU, Linear<64>, ReLU,
                 Linear<128>, ReLU, Linear<256>, ReLU, Linear<512>, ReLU, Linear<1024>, ReLU, Linear<2>> {};
struct W3Mlp : Sequential<Input<1024>, Linear<100>, ReLU, Linear<10>> {};
struct W3Cnn : Sequential<Input<1, 32, 32>, Conv2d<16, 3>, ReLU, MaxPool2d<2>, Conv2d<32, 2>, ReLU, MaxPool2d<2>,
                          Conv2d<64, 2>, ReLU, MaxPool2d<2>, Flatten, Linear<200>, ReLU, Linear<10>> {};
struct W4 : Sequential<Input<256>, Linear<64>, ReLU, Linear<64>, ReLU, Linear<10>> {};

// Too large for the memory of a block: by the plan `layers`. Programs leave them out with SINTER_SMALL_WORKLOADS: nvcc takes
// two minutes for the three.
struct Wide : Sequential<Input<784>, Linear<1024>, ReLU, Linear<1024>, ReLU, Linear<10>> {};
struct Vgg : Sequential<Input<3, 32, 32>, Conv2d<32, 3, Padding<1>>, ReLU, Conv2d<32, 3, Padding<1>>, ReLU,
                        MaxPool2d<2>, Conv2d<64, 3, Padding<1>>, ReLU, Conv2d<64, 3, Padding<1>>, ReLU, MaxPool2d<2>,
                        Flatten, Linear<256>, ReLU, Linear<10>> {};
template <int Channels>
using Half = Residual<Path<Conv2d<Channels, 3, Stride<2>, Padding<1>, NoBias>, BatchNorm2d<>, ReLU,
                           Conv2d<Channels, 3, Padding<1>, NoBias>, BatchNorm2d<>>,
                      Shortcut<Conv2d<Channels, 1, Stride<2>, NoBias>, BatchNorm2d<>>>;
struct ResNet8 : Sequential<Input<3, 32, 32>, Conv2d<16, 3, Padding<1>, NoBias>, BatchNorm2d<>, ReLU,
                            Residual<Path<Conv2d<16, 3, Padding<1>, NoBias>, BatchNorm2d<>, ReLU,
                                          Conv2d<16, 3, Padding<1>, NoBias>, BatchNorm2d<>>>,
                            ReLU, Half<32>, ReLU, Half<64>, ReLU, AvgPool2d<8>, Flatten, Linear<10>> {};

/// Random rows and labels, the same everywhere.
template <class Model, class T>
struct Data {
  Tensor<T, typename Model::InputRow> x;
  std::vector<int> labels;

  explicit Data(std::size_t rows) : x(rows), labels(rows) {
    std::mt19937 random(1);
    for (T& v : x.values()) {
      if constexpr (sizeof(T) == 1)
        v = static_cast<T>(random() & 255);
      else
        v = static_cast<T>(static_cast<double>(random() >> 8) * 0x1p-23 - 1);
    }
    for (int& label : labels) label = static_cast<int>(random() % static_cast<unsigned>(Model::OutputRow::size));
  }
  auto set() const { return dataset(x, labels, sizeof(T) == 1 ? Normalize::pixels(0.1307f, 0.3081f) : Normalize{}); }
};

}  // namespace workload
