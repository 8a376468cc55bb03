// SPDX-License-Identifier: MIT
// expected: sinter: labels of steps or pixels are rows of floating numbers: rows of integers would be scaled as the inputs are
#include <sinter/sinter.hpp>
using namespace sinter;
#include <cstdint>
struct Net : Sequential<Input<1, 6>, Conv1d<3, 1>> {};
void train(Network<Net>& net, const Tensor<std::uint8_t, Shape<1, 6>>& x, const Tensor<std::uint8_t, Shape<6>>& y) {
  fit(net, dataset(x, y, Normalize::pixels(0, 1)), at_each_pixel<Net>(CrossEntropyLoss{}), SGD{}, {.batch_size = 2});
}
