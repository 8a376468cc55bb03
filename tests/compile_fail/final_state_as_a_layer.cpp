// expected: Sequential
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Bad : Sequential<Input<20, 3>, LSTM<16>, FinalState, Linear<2>> {};
Network<Bad> net;
