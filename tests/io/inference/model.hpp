// SPDX-License-Identifier: MIT
#pragma once

#include <sinter/inference.hpp>

struct Model : sinter::Sequential<sinter::Input<1, 12, 12>, sinter::Conv2d<4, 3>, sinter::MaxPool2d<2>, sinter::ReLU,
                                  sinter::BatchNorm2d<>, sinter::Flatten, sinter::Linear<5>, sinter::LogSoftmax> {};
