// SPDX-License-Identifier: MIT
#pragma once

#include <sinter/inference.hpp>

struct Digits : sinter::Sequential<sinter::Input<1, 12, 12>, sinter::Conv2d<6, 3, sinter::Padding<1>>,
                                   sinter::MaxPool2d<2>, sinter::ReLU, sinter::Flatten, sinter::Linear<24>,
                                   sinter::Tanh, sinter::Linear<7>, sinter::LogSoftmax> {};
