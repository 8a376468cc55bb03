// SPDX-License-Identifier: MIT
// Layers of which g++ warned falsely: rows of an embedding that are whole packs, a convolution of one pixel with a stride.
#include <sinter/sinter.hpp>

using namespace sinter;

struct Words : Sequential<Input<8>, Embedding<2000, 16>, Flatten, Linear<4>> {};
struct Halved : Sequential<Input<8, 32, 32>, Conv2d<8, 1>,
                           Residual<Path<Conv2d<32, 3, Stride<2>, Padding<1>>>, Shortcut<Conv2d<32, 1, Stride<2>>>>,
                           ReLU, AdaptiveAvgPool2d<1>, Flatten, Linear<4>> {};

template <class Model>
void step() {
  Network<Model> net;
  const Tensor<float, typename Model::InputRow> x(10);
  const std::vector<int> y(10);
  Trainer trainer{net, CrossEntropyLoss{}, SGD{.lr = 0.1}};
  trainer.step(x, y);
}

int main() {
  step<Words>();
  step<Halved>();
}
