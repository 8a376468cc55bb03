// SPDX-License-Identifier: MIT
#pragma once

#include <sinter/inference.hpp>

struct Digits : sinter::Sequential<sinter::Input<1, 28, 28>,                                              //
                                   sinter::Conv2d<10, 5>, sinter::MaxPool2d<2>, sinter::ReLU,             //
                                   sinter::Conv2d<20, 5>, sinter::Dropout2d<0.25>, sinter::MaxPool2d<2>,  //
                                   sinter::ReLU, sinter::Flatten, sinter::Linear<50>, sinter::ReLU,       //
                                   sinter::Dropout<0.25>, sinter::Linear<10>, sinter::LogSoftmax> {};
