// SPDX-License-Identifier: MIT
// expected: sinter: inputs come as a Tensor, or as a TensorView on numbers of yours, which say the shape of a row
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Linear<2>> {};
void train(Trainer<Network<Net>, CrossEntropyLoss, SGD>& trainer) { trainer.step({{1, 2}, {3, 4}}, {0, 1}); }
