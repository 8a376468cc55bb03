// SPDX-License-Identifier: MIT
// What neon.sh compiles: training of a network with large windows, and of one whose products are of several tiles.
#include <vector>

#include "sinter/sinter.hpp"

using namespace sinter;

struct LeNet : Sequential<Input<1, 28, 28>, Conv2d<10, 5>, MaxPool2d<2>, ReLU, Conv2d<20, 5>, MaxPool2d<2>, ReLU,
                          Flatten, Linear<50>, ReLU, Linear<10>, LogSoftmax> {};
struct Images : Sequential<Input<3, 8, 8>, Conv2d<16, 3, Padding<1>>, ReLU, Conv2d<16, 3, Padding<1>>, ReLU, Flatten,
                           Linear<10>, LogSoftmax> {};

template <class Model>
double loss() {
  Network<Model> net{{.seed = 1}};
  Trainer trainer{net, NLLLoss{}, SGD{.lr = 0.1}};
  return static_cast<double>(trainer.step(Tensor<float, typename Model::InputRow>(16), std::vector<int>(16)));
}
int main() { return loss<LeNet>() + loss<Images>() > 0 ? 0 : 1; }
