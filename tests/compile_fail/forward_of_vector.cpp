// expected: sinter: forward takes rows that say their shape: a Tensor, or a view of numbers of yours, TensorView<const float, Shape<..>>::from(numbers)
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<2>> {};
void run(const Network<Net>& net, Network<Net>::Workspace& workspace, const std::vector<float>& x) {
  net.forward(x, workspace);
}
