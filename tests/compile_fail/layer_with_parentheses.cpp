// expected: layers are types, as ReLU or Linear<8>, without parentheses
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Bad : Sequential<Input<3>, Linear<16>, ReLU(), Linear<2>> {};
Network<Bad> net;
