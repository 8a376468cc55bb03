// expected: sinter: this is not a loss
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<2>> {};
struct Distance {
  template <class V>
  V forward(const V* y, int, const V* target) const {
    return y[0] - target[0];
  }
  template <class V>
  void backward(const V*, int, const V*, V scale, V* dy) const {
    dy[0] = scale;
  }
};
void train(Network<Net>& net, const Tensor<float, Shape<2>>& x) {
  Trainer trainer{net, Distance{}, SGD{.lr = 0.1}};
  trainer.step(x, x);
}
