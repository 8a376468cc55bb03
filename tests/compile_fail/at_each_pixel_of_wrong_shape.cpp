// SPDX-License-Identifier: MIT
// expected: sinter: the targets do not have one label for each step or pixel
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<1, 6, 6>, Conv2d<3, 1>> {};
void train(Network<Net>& net, const Tensor<float, Shape<1, 6, 6>>& x) {
  fit(net, dataset(x, x), at_each_pixel<Net>(CrossEntropyLoss{}), SGD{}, {.batch_size = 2});
}
