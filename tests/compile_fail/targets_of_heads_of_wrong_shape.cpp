// SPDX-License-Identifier: MIT
// expected: sinter: the targets do not have the shape
// expected: has_rows_of
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<4>, Heads<Path<Linear<3>>, Path<Linear<2>>>> {};
void train(Network<Net>& net, const Tensor<float, Shape<4>>& x, const Tensor<float, Shape<5>>& targets) {
  Trainer trainer{net, head_losses<Net>(CrossEntropyLoss{}, MSELoss{}), SGD{}};
  trainer.step(x, targets);
}
