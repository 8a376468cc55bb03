// expected: sinter: a loss's forward cannot be called
// expected: a template over V
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<2>> {};
struct Distance {
  using Target = RowTarget;
  static constexpr const char *name = "Distance";
  float forward(const float *y, int, const float *target) const {
    return y[0] - target[0];
  }
  void backward(const float *, int, const float *, float scale,
                float *dy) const {
    dy[0] = scale;
  }
};
void train(Network<Net> &net, const Tensor<float, Shape<2>> &x) {
  Trainer trainer{net, Distance{}, SGD{.lr = 0.1}};
  trainer.step(x, x);
}
