// SPDX-License-Identifier: MIT
// expected: sinter: a layer does not accept the shape it gets
// expected: MatrixProduct<
// expected: {2, 5, 1, 12}
// expected: two_branches_that_end_in_series_or_images_whose_matrices_can_be_multiplied
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<5, 12>, MatrixProduct<Path<>, Path<Tanh>>, Flatten, Linear<2>> {};
Network<Net> net;
