// SPDX-License-Identifier: MIT
#pragma once

#include <sinter/inference.hpp>

/// The program that is measured has this one alone.
struct Controller : sinter::Sequential<sinter::Input<17>, sinter::Linear<32>, sinter::ReLU, sinter::Linear<6>> {};

struct Picture : sinter::Sequential<sinter::Input<1, 13, 12>, sinter::Conv2d<4, 3, sinter::Padding<1>>,
                                    sinter::GroupNorm<2>, sinter::ReLU, sinter::MaxPool2d<2>, sinter::Conv2d<6, 3>,
                                    sinter::Tanh, sinter::Flatten, sinter::Linear<5>, sinter::LogSoftmax> {};

struct Sound : sinter::Sequential<sinter::Input<1, 40>, sinter::Conv1d<4, 3, sinter::Causal, sinter::Dilation<2>>,
                                  sinter::Sigmoid, sinter::Conv1d<1, 2, sinter::Causal>> {};

/// The last layer of a network is trained on the machine, on what the layers before it make of an input.
struct Features : sinter::Sequential<sinter::Input<17>, sinter::Linear<32>, sinter::ReLU> {};
struct Last : sinter::Sequential<sinter::Input<32>, sinter::Linear<6>> {};

/// Also in 8 bits, and in these alone.
struct Glyph
    : sinter::Sequential<sinter::Input<1, 13, 12>, sinter::Conv2d<4, 3, sinter::Padding<1>>, sinter::ReLU,
                         sinter::MaxPool2d<2>, sinter::Conv2d<6, 3>, sinter::Tanh, sinter::Flatten, sinter::Linear<5>> {
};
struct Branches
    : sinter::Sequential<sinter::Input<2, 9, 8>, sinter::Conv2d<8, 3, sinter::Padding<1>>, sinter::BatchNorm2d<>,
                         sinter::ReLU, sinter::Conv2d<8, 3, sinter::Groups<8>, sinter::Padding<1>>,
                         sinter::Residual<sinter::Path<sinter::Conv2d<8, 3, sinter::Padding<1>>, sinter::SiLU>>,
                         sinter::Concat<sinter::Path<sinter::MaxPool2d<2>>, sinter::Path<sinter::AvgPool2d<2>>>,
                         sinter::Conv2d<17, 1>, sinter::AdaptiveAvgPool2d<1>, sinter::Flatten, sinter::Linear<3>> {};
