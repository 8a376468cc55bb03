// SPDX-License-Identifier: MIT
// expected: sinter: forward takes a workspace after the rows, a variable: auto workspace = net.workspace(rows); const auto y = net.forward(x, workspace); or predict(net, x)
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Linear<2>> {};
void ask(const Network<Net>& net, const std::vector<float>& x, std::vector<float>& y) { net.forward(x, y); }
