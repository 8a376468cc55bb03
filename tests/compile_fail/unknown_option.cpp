// expected: sinter: MaxPool2d takes Kernel, Stride and Padding, each at most once
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Bad : Sequential<Input<3, 8, 8>, MaxPool2d<2, NoBias>, Flatten, Linear<10>> {};
Network<Bad> net;
