// expected: sinter: LeakyReLU<slope> takes a finite slope
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<3>, Linear<4>, LeakyReLU<1e39>, Linear<2>> {};
Network<Net> net;
