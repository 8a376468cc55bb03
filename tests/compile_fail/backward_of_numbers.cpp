// SPDX-License-Identifier: MIT
// expected: sinter: targets say what they are: const std::vector<int> labels{0, 1}, or const Tensor<float, Shape<..>> targets{..}
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Linear<2>> {};
void train(Trainer<Network<Net>, MSELoss, SGD>& trainer, const Tensor<float, Shape<2>>& x) {
  trainer.backward(x, {0.5f, 1.0f});
}
