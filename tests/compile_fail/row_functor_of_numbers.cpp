// expected: sinter: the functor of a RowActivation has no static forward
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Squash {
  static double forward(double x) { return x; }
  static double backward(double, double dy) { return dy; }
};
struct Net : Sequential<Input<2>, Linear<2>, RowActivation<Squash>> {};
void train(Network<Net>& net) { fit(net, disc(10, 1), CrossEntropyLoss{}, SGD{.lr = 0.1}, {.epochs = 2}); }
