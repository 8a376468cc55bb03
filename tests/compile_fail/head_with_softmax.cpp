// SPDX-License-Identifier: MIT
// expected: sinter: CrossEntropyLoss takes scores and applies log-softmax itself
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<4>, Heads<Path<Linear<3>, Softmax>, Path<Linear<2>>>> {};
void train(Network<Net>& net) { Trainer trainer{net, head_losses<Net>(CrossEntropyLoss{}, MSELoss{}), SGD{}}; }
