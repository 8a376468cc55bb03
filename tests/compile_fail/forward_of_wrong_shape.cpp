// expected: sinter: forward was given rows that do not have the shape of the network's Input
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<8>, ReLU, Linear<2>> {};

void run(const Network<Net>& net, const Tensor<float, Shape<3>>& x, Network<Net>::Workspace& workspace) {
  net.forward(x, workspace);
}
