// expected: sinter: this is not an optimizer; give SGD{.lr = 0.1}
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<2>> {};

void train(Network<Net>& net) { fit(net, disc(10, 1), CrossEntropyLoss{}, "sgd"); }
