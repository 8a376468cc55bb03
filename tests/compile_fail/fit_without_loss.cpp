// SPDX-License-Identifier: MIT
// expected: sinter: this is not a loss; give CrossEntropyLoss{}, MSELoss{} or another after the data
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Linear<2>> {};
void train(Network<Net>& net) { fit(net, disc(10, 1)); }
