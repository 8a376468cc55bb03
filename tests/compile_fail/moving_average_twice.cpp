// SPDX-License-Identifier: MIT
// expected: sinter: moving_average is given an optimizer that keeps an average already; an optimizer keeps one
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Linear<2>> {};
auto twice(Network<Net>& a, Network<Net>& b) { return moving_average(moving_average(SGD{}, a), b); }
