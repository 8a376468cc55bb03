// expected: sinter: a layer does not accept the shape it gets
// expected: an_image_whose_channels_are_divisible_by_the_square_of_the_factor
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<6, 4, 4>, PixelShuffle<2>> {};
Network<Net> net;
