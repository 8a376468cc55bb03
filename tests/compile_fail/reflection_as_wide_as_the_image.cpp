// expected: sinter: a layer does not accept the shape it gets
// expected: an_image_higher_and_wider_than_its_padding
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<3, 6, 6>, ReflectionPad2d<6>> {};
Network<Net> net;
