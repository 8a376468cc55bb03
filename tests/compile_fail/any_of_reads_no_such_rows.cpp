// expected: sinter: none of the networks of this AnyOf reads rows of that shape
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

template <int Classes>
struct Net : Sequential<Input<3>, Linear<Classes>> {};

void train(AnyOf<Net<2>, Net<3>>& net) { fit(net, disc(10, 1), CrossEntropyLoss{}, SGD{.lr = 0.1}); }
