// SPDX-License-Identifier: MIT
// expected: BatchNorm1d
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Linear<2>> {};
struct Bad : Sequential<Input<2>, Linear<8>, BatchNorm1d, ReLU, Linear<2>> {};
