// expected: sinter: forward was given rows that do not have the shape of the network's Input: see has_rows_of<given, needed>; numbers of yours come as TensorView<const float, Shape<..>>::from(x)
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<2>> {};
void run(const Network<Net>& net, Network<Net>::Workspace& workspace, const std::vector<float>& x) {
  net.forward(x, workspace);
}
