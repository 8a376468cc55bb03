// expected: sinter: forward takes its memory, too: auto workspace = net.workspace(rows)
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<2>> {};

auto ask(const Network<Net>& net, const Tensor<float, Shape<2>>& x) { return net.forward(x); }
