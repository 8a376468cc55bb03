// SPDX-License-Identifier: MIT
// expected: sinter: a network that ends in Heads has no single class: evaluate_heads(net, data, loss) gives the accuracy of each head
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Heads<Path<Linear<3>>, Path<Linear<2>>>> {};
double judge(const Network<Net>& net) { return top_k_accuracy(net, disc(10, 1), 2); }
