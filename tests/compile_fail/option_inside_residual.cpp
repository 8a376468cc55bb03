// expected: sinter: Linear takes the option NoBias, at most once
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<16>, Residual<Path<Linear<16, Stride<2>>, ReLU>>, Linear<2>> {};
void train(Network<Net>& net) { fit(net, disc(10, 1), CrossEntropyLoss{}, SGD{.lr = 0.1}, {.epochs = 2}); }
