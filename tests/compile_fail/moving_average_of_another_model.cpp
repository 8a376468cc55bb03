// SPDX-License-Identifier: MIT
// expected: sinter: moving_average is given a network of another model than the one that is trained; make a second network
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Linear<3>, ReLU, Linear<2>> {};
struct Other : Sequential<Input<2>, Linear<3>, Tanh, Linear<2>> {};
void train(Network<Net>& net, Network<Other>& average) {
  Trainer trainer{net, MSELoss{}, moving_average(SGD{}, average)};
}
