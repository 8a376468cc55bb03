// SPDX-License-Identifier: MIT
#pragma once

#include <sinter/sinter.hpp>

using namespace sinter;

struct LeNet : Sequential<Input<1, 28, 28>, Conv2d<10, 5>, MaxPool2d<2>, ReLU, Conv2d<20, 5>, Dropout2d<0.5>,
                          MaxPool2d<2>, ReLU, Flatten, Linear<50>, ReLU, Dropout<0.5>, Linear<10>, LogSoftmax> {};
