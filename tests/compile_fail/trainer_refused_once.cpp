// SPDX-License-Identifier: MIT
// expected: sinter: this is not an optimizer; give SGD{.lr = 0.1}, Adam{} or another after the loss
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Linear<2>> {};
double train(Network<Net>& net, const Tensor<float, Shape<2>>& x) {
  Trainer trainer{net, SGD{.lr = 0.1}, MSELoss{}};
  trainer.freeze(0);
  trainer.set_rate_factor("0.bias", 2);
  const Tensor<float, Shape<2>>& y = trainer.forward(x);
  trainer.backward(y);
  trainer.clear();
  trainer.accumulate(x, y);
  if (!trainer.update()) return trainer.problem().size();
  return trainer.loss() + trainer.steps() + trainer.network().seed() + trainer.has_gradient();
}
