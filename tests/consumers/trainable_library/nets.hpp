// SPDX-License-Identifier: MIT
#pragma once

#include <sinter/sinter.hpp>

using namespace sinter;

struct Disc : Sequential<Input<2>, Linear<16>, Tanh, Linear<2>> {};
struct Curve : Sequential<Input<3>, Linear<8>, BatchNorm1d<>, ReLU, Dropout<0.1>, Linear<1>> {};
struct Logs : Sequential<Input<2>, Linear<2>, LogSoftmax> {};
