// SPDX-License-Identifier: MIT
// expected: sinter: a layer does not accept the shape it gets
// expected: branches_that_accept_it_and_end_in_images_of_one_height_and_width_or_in_features
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2, 8, 8>, Concat<Path<>, Path<MaxPool2d<2>>>> {};
Network<Net> net;
