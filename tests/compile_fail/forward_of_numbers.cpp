// SPDX-License-Identifier: MIT
// expected: sinter: rows say their shape: const Tensor<float, Shape<2>> x{1, 2}, then x
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Linear<2>> {};
void ask(const Network<Net>& net, Network<Net>::Workspace& workspace) { net.forward({1, 2}, workspace); }
