// SPDX-License-Identifier: MIT
// As train.cpp: a residual network, whose convolutions run by Winograd's algorithm.
#include "train.hpp"

namespace {

template <int Channels>
struct Block : Residual<Path<Conv2d<Channels, 3, Padding<1>, NoBias>, BatchNorm2d<>, ReLU,
                             Conv2d<Channels, 3, Padding<1>, NoBias>, BatchNorm2d<>>> {};
struct ResNet : Sequential<Input<3, 8, 8>, Conv2d<16, 3, Padding<1>, NoBias>, BatchNorm2d<>, ReLU, Block<16>, ReLU,
                           Conv2d<20, 3, Stride<2>, Padding<1>>, BatchNorm2d<>, ReLU, Block<20>, ReLU,
                           AdaptiveAvgPool2d<1>, Flatten, Linear<5>, LogSoftmax> {};

}  // namespace

int main(int, char** arguments) {
  std::FILE* to = std::fopen(arguments[1], "wb");
  if (to == nullptr) return 1;
  train(Network<ResNet>{{.seed = 9}}, NLLLoss{}, SGD{.lr = 0.05, .momentum = 0.9}, labels(), to);
  return std::fclose(to);
}
