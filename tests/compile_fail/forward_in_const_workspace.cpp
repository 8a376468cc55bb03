// SPDX-License-Identifier: MIT
// expected: sinter: forward takes a workspace after the rows, a variable: auto workspace = net.workspace(rows); const auto y = net.forward(x, workspace); or predict(net, x)
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Linear<2>> {};
void ask(const Network<Net>& net, const Tensor<float, Shape<2>>& x, const Network<Net>::Workspace& workspace) {
  net.forward(x, workspace);
}
