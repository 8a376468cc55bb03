// expected: sinter: the functor of an activation says which number its backward gets: static constexpr bool
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Sine {
  static double forward(double x) { return x; }
  static double backward(double, double dy) { return dy; }
};
struct Net : Sequential<Input<2>, Linear<4>, Activation<Sine>, Linear<2>> {};
void train(Network<Net>& net) { fit(net, disc(10, 1), CrossEntropyLoss{}, SGD{.lr = 0.1}, {.epochs = 2}); }
