// expected: sinter: fit needs a dataset
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<8>, ReLU, Linear<2>, LogSoftmax> {};

void train(Network<Net>& net, const Tensor<float, Shape<2>>& x) { fit(net, x, NLLLoss{}, SGD{.lr = 0.1}); }
