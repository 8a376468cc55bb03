// expected: sinter: TakeInput takes the Inputs of the network, and which one
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<5>, TakeInput<Input<5>, 0>, Linear<2>> {};
Network<Net> net;
