// expected: sinter: LeakyReLU<slope> takes a finite slope
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<3>, Linear<4>, LeakyReLU<std::numeric_limits<double>::quiet_NaN()>, Linear<2>> {};
Network<Net> net;
