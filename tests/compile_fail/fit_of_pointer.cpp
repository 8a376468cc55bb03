// expected: sinter: fit trains a network: make a Network<Model> of a model; of a pointer give *pointer
// SPDX-License-Identifier: MIT
#include <memory>
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<2>> {};

void train(const std::unique_ptr<Network<Net>>& net) { fit(net, disc(10, 1), CrossEntropyLoss{}, SGD{.lr = 0.1}); }
