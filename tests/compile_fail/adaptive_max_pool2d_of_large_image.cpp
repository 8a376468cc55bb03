// SPDX-License-Identifier: MIT
// expected: sinter: a layer does not accept the shape it gets
// expected: AdaptiveMaxPool2d<1, 1>
// expected: {3, 1, 300, 300}
// expected: an_image_of_channels_height_width_with_windows_of_at_most_65536_numbers
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<1, 300, 300>, AdaptiveMaxPool2d<1>, Flatten, Linear<2>> {};
Network<Net> net;
