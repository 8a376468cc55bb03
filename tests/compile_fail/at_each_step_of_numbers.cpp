// SPDX-License-Identifier: MIT
// expected: sinter: at_each_step<Net>(..) takes a loss of classes: CrossEntropyLoss{}; other losses compare all numbers of a row as they are
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<6, 2>, GRU<4>> {};
auto loss = at_each_step<Net>(MSELoss{});
