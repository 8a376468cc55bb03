// SPDX-License-Identifier: MIT
// expected: sinter: fit trains a network that has a name, and this one is temporary
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Linear<2>> {};
void train() { fit(Network<Net>{}, disc(10, 1), CrossEntropyLoss{}, SGD{.lr = 0.1}); }
