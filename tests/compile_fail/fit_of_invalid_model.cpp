// expected: a layer does not accept the shape it gets
// expected: layer_accepts<1,
// expected: Linear<10>
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Bad : Sequential<Input<1, 28, 28>, Conv2d<8, 5>, Linear<10>, LogSoftmax> {};

int main() {
  Network<Bad> net{{.seed = 1}};
  const auto train = read_mnist("mnist").train;
  fit(net, train, NLLLoss{}, SGD{.lr = 0.1});
  evaluate(net, train, NLLLoss{});
  predict(net, train);
  return static_cast<int>(summary<Bad>().size() + describe(net, 8).size());
}
