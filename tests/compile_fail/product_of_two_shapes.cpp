// SPDX-License-Identifier: MIT
// expected: sinter: a layer does not accept the shape it gets
// expected: two_branches_that_accept_it_and_end_in_the_same_shape
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2, 8, 8>, Product<Path<>, Path<AdaptiveAvgPool2d<1>, Sigmoid>>> {};
Network<Net> net;
