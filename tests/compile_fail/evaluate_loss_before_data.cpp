// SPDX-License-Identifier: MIT
// expected: sinter: the loss comes after the data: evaluate(net, data, CrossEntropyLoss{})
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Linear<2>> {};
const auto result = evaluate(Network<Net>{}, CrossEntropyLoss{}, disc(10, 1));
