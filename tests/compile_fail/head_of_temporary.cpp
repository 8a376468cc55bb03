// expected: sinter: head() only views the outputs, and a temporary would be gone; give it a name first
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Heads<Path<Linear<2>>, Path<Linear<3>>>> {};
void outputs(const Network<Net>& net, const Tensor<float, Shape<2>>& x) { head<Network<Net>, 0>(predict(net, x)); }
