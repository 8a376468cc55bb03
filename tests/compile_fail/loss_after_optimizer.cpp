// expected: sinter: this is not a loss; give CrossEntropyLoss{}
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<2>> {};

void train(Network<Net>& net) { fit(net, disc(10, 1), SGD{.lr = 0.1}, CrossEntropyLoss{}); }
