// expected: Relu
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Bad : Sequential<Input<1, 28, 28>, Conv2d<10, 5>, Relu, Flatten, Linear<10>, LogSoftmax> {};

// That it is no model, and has other shapes than the data, follows from that, and is not said.
int main() {
  const Mnist digits = read_mnist("mnist");
  Network<Bad> net{{.seed = 1}};
  fit(net, digits.train, NLLLoss{}, SGD{.lr = 0.01}, {.epochs = 1, .validation = &digits.test}, Progress{});
  const auto [loss, accuracy] = evaluate(net, digits.test, NLLLoss{});
  auto workspace = net.workspace(1);
  const Tensor<float, Shape<1, 28, 28>> x(1);
  const auto y = net.forward(x, workspace);
  const auto all = net.forward(subset(digits.test, 0, 1), workspace);
  Trainer trainer{net, NLLLoss{}, Adam{}};
  const std::vector<int> labels{1};
  trainer.step(x, labels);
  return predict(net, x)(0, 1) > y(0, 3);
}
