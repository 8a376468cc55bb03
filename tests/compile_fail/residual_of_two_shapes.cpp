// SPDX-License-Identifier: MIT
// expected: sinter: a layer does not accept the shape it gets
// expected: a_path_and_a_shortcut_that_accept_it_and_end_in_the_same_shape
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2, 8, 8>, Residual<Path<Conv2d<2, 3>>>> {};
Network<Net> net;
