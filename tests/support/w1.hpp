// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/layers/activation.hpp"
#include "sinter/layers/conv2d.hpp"
#include "sinter/layers/dropout.hpp"
#include "sinter/layers/flatten.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/layers/pool2d.hpp"
#include "sinter/model/sequential.hpp"

namespace sinter_test {

/// The MNIST network of PyTorch's examples, with its dropout or without.
template <bool Masked>
struct Digits : sinter::Sequential<sinter::Input<1, 28, 28>, sinter::Conv2d<10, 5>, sinter::MaxPool2d<2>, sinter::ReLU,
                                   sinter::Conv2d<20, 5>, sinter::Dropout2d<Masked ? 0.5 : 0.0>, sinter::MaxPool2d<2>,
                                   sinter::ReLU, sinter::Flatten, sinter::Linear<50>, sinter::ReLU,
                                   sinter::Dropout<Masked ? 0.5 : 0.0>, sinter::Linear<10>, sinter::LogSoftmax> {};
struct W1 : Digits<true> {};

}  // namespace sinter_test
