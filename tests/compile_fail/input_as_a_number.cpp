// expected: Sequential<3,
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Bad : Sequential<3, Linear<16>, ReLU, Linear<2>> {};
Network<Bad> net;
