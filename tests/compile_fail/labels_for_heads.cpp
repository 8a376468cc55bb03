// SPDX-License-Identifier: MIT
// expected: sinter: a network with several outputs takes a loss for each: head_losses<Net>(CrossEntropyLoss{}, 0.5 * MSELoss{})
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<4>, Heads<Path<Linear<3>>, Path<Linear<2>>>> {};
void train(Network<Net>& net) { Trainer trainer{net, CrossEntropyLoss{}, SGD{}}; }
