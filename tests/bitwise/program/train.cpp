// SPDX-License-Identifier: MIT
// Trains small networks and writes their parameters to the file given: after one step, then after five. What compilers
// and flags make of it is compared by bitwise/compilers.cpp.
#include "train.hpp"

namespace {

// Every kind of op, the kernels that skip zeros and those that do not.
struct LeNet : Sequential<Input<1, 14, 15>, Conv2d<4, 3>, MaxPool2d<2>, ReLU, Conv2d<6, 3, Padding<1>>, Dropout2d<0.5>,
                          MaxPool2d<2>, ReLU, Conv2d<5, 2>, Tanh, AvgPool2d<2>, Flatten, Linear<9>, Sigmoid,
                          Dropout<0.3>, Linear<5>, LogSoftmax> {};
struct Vgg : Sequential<Input<2, 6, 9>, Conv2d<16, 3, Padding<1>>, Tanh, Conv2d<17, 3, Padding<1>>, MaxPool2d<2>, ReLU,
                        Flatten, Linear<5>, LogSoftmax> {};
struct Perceptron : Sequential<Input<7>, Linear<11>, Tanh, Linear<4>, Softmax, Linear<3>> {};

}  // namespace

int main(int, char** arguments) {
  std::FILE* to = std::fopen(arguments[1], "wb");
  if (to == nullptr) return 1;
  train(Network<LeNet>{{.seed = 7}}, NLLLoss{}, SGD{.lr = 0.1, .momentum = 0.9, .weight_decay = 1e-3, .nesterov = true},
        labels(), to);
  train(Network<Vgg>{{.seed = 8}}, NLLLoss{}, SGD{.lr = 0.1}, labels(), to);
  train(Network<Perceptron, Host, Float64>{{.initialization = Initialization::xavier_normal}}, MSELoss{},
        Adam{.lr = 0.01}, drawn<Shape<3>>(2), to);
  return std::fclose(to);
}
