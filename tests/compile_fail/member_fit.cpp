// SPDX-License-Identifier: MIT
// expected: sinter: fit is a function: fit(net, data, CrossEntropyLoss{}, Adam{})
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Linear<2>> {};
void train(Network<Net>& net, const Tensor<float, Shape<2>>& x, const std::vector<int>& y) {
  net.fit(x, y, {.epochs = 3});
}
