// SPDX-License-Identifier: MIT
// Trains small networks and writes their parameters to the file given: after one step, then after five. What compilers
// and flags make of it is compared by bitwise/compilers.cpp.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "sinter/sinter.hpp"

using namespace sinter;

namespace {

// Every kind of op, the kernels that skip zeros and those that do not.
struct LeNet : Sequential<Input<1, 14, 15>, Conv2d<4, 3>, MaxPool2d<2>, ReLU, Conv2d<6, 3, Padding<1>>, Dropout2d<0.5>,
                          MaxPool2d<2>, ReLU, Conv2d<5, 2>, Tanh, AvgPool2d<2>, Flatten, Linear<9>, Sigmoid,
                          Dropout<0.3>, Linear<5>, LogSoftmax> {};
struct Vgg : Sequential<Input<2, 6, 9>, Conv2d<16, 3, Padding<1>>, Tanh, Conv2d<17, 3, Padding<1>>, MaxPool2d<2>, ReLU,
                        Flatten, Linear<5>, LogSoftmax> {};
struct Perceptron : Sequential<Input<7>, Linear<11>, Tanh, Linear<4>, Softmax, Linear<3>> {};

/// Numbers in [-1, 1), by whole-number arithmetic.
double draw(std::uint64_t& state) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return static_cast<double>(static_cast<std::int64_t>(state) >> 40) * 0x1p-23;
}

template <class Net>
void write(const Net& net, std::FILE* to) {
  for (int i = 0; i < Net::Ops::arena_size; ++i) {
    const double x = static_cast<double>(net.data()[i]);
    std::fwrite(&x, sizeof x, 1, to);
  }
}
template <class Net, class Loss, class Optimizer, class Targets>
void train(Net net, Loss loss, Optimizer optimizer, const Targets& targets, std::FILE* to) {
  std::uint64_t state = 1;
  Tensor<float, typename Net::InputRow> x(21);
  for (float& v : x.values()) v = static_cast<float>(draw(state));
  Trainer trainer{net, loss, optimizer};
  trainer.step(x, targets);
  write(net, to);
  for (int i = 0; i < 4; ++i) trainer.step(x, targets);
  write(net, to);
}

}  // namespace

int main(int, char** arguments) {
  std::FILE* to = std::fopen(arguments[1], "wb");
  if (to == nullptr) return 1;
  std::vector<int> labels;
  for (int i = 0; i < 21; ++i) labels.push_back(i % 5);
  Tensor<float, Shape<3>> targets(21);
  std::uint64_t state = 2;
  for (float& v : targets.values()) v = static_cast<float>(draw(state));

  train(Network<LeNet>{{.seed = 7}}, NLLLoss{}, SGD{.lr = 0.1, .momentum = 0.9, .weight_decay = 1e-3, .nesterov = true},
        labels, to);
  train(Network<Vgg>{{.seed = 8}}, NLLLoss{}, SGD{.lr = 0.1}, labels, to);
  train(Network<Perceptron, Host, Float64>{{.initialization = Initialization::xavier_normal}}, MSELoss{},
        Adam{.lr = 0.01}, targets, to);
  return std::fclose(to);
}
