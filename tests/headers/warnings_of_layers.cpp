// SPDX-License-Identifier: MIT
// Layers of which g++ warned falsely: rows of an embedding that are whole packs, alone and in a Concat; a convolution of
// one pixel with a stride.
#include <sinter/sinter.hpp>

using namespace sinter;

struct Words : Sequential<Input<8>, Embedding<2000, 16>, Flatten, Linear<4>> {};
struct Joined
    : Sequential<Input<8>, Concat<Path<Slice<0, 4>, Embedding<257, 64>, Flatten>, Path<Slice<4, 4>>>, Linear<4>> {};
struct Series : Sequential<Input<8>,
                           Concat<Path<Slice<0, 4>, Embedding<257, 64, ChannelsFirst>>,
                                  Path<Slice<4, 4>, Embedding<257, 64, ChannelsFirst>>>,
                           Conv1d<8, 2>, Flatten, Linear<4>> {};
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

template <class Model>
float answer() {
  const Network<Model> net;
  auto workspace = net.workspace(1);
  return net.forward(Tensor<float, typename Model::InputRow>(1), workspace)(0, 0);
}

int main() {
  step<Words>();
  step<Halved>();
  return answer<Joined>() + answer<Series>() > 0;
}
