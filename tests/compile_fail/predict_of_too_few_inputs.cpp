// expected: sinter: rows are given for each input of the network
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Three : Inputs<Input<2>, Input<3>, Input<4>> {};
struct Net : Sequential<Three, Linear<2>> {};
void run(const Network<Net>& net, const Tensor<float, Shape<2>>& x, const Tensor<float, Shape<3>>& y) {
  predict(net, x, y);
}
