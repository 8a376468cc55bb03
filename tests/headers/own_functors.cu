// SPDX-License-Identifier: MIT
// Functors without a `name`, which have that of their struct, in training and in inference on a GPU.
#include "sinter/sinter.cuh"

using namespace sinter;

struct Square {
  static constexpr bool backward_reads_output = false;
  template <class V>
  SINTER_FN static V forward(V x) {
    return x * x;
  }
  template <class V>
  SINTER_FN static V backward(V x, V dy) {
    return dy * V(2) * x;
  }
};
struct Halves {
  template <class V>
  SINTER_FN static void forward(const V* x, V* y, int n) {
    for (int i = 0; i < n; ++i) y[i] = x[i] * V(0.5f);
  }
  template <class V>
  SINTER_FN static void backward(const V*, V* dy, int n) {
    for (int i = 0; i < n; ++i) dy[i] = dy[i] * V(0.5f);
  }
};
struct Net : Sequential<Input<1, 8, 8>, Conv2d<4, 3>, Activation<Square>, MaxPool2d<2>, Flatten, RowActivation<Halves>,
                        Linear<4>, Activation<Square>, Linear<2>> {};

int main() {
  Network<Net, Cuda> net;
  const Tensor<float, Shape<1, 8, 8>> x(2);
  const Tensor<float, Shape<2>> y(2);
  Trainer trainer{net, MSELoss{}, SGD{.lr = 0.1}};
  trainer.step(x, y);
  (void)predict(net, x);
}
