// SPDX-License-Identifier: MIT
// expected: sinter: predict is a function: predict(net, x)
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Linear<2>> {};
auto ask(const Network<Net>& net, const Tensor<float, Shape<2>>& x) { return net.predict(x); }
