// SPDX-License-Identifier: MIT
// expected: sinter: predict takes rows that say their shape: predict(net, TensorView<const float,
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Linear<2>> {};
auto ask(const Network<Net>& net) { return predict(net, {1, 2}); }
