// SPDX-License-Identifier: MIT
// expected: sinter: the fraction of right classes needs labels, and the targets are rows of numbers: see regression(net, data)
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Linear<2>> {};
double judge(const Network<Net>& net, const Tensor<float, Shape<2>>& x) { return score(net, dataset(x, x)); }
