// expected: PReLU
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Bad : Sequential<Input<3>, Linear<16>, PReLU, Linear<2>> {};
Network<Bad> net;
