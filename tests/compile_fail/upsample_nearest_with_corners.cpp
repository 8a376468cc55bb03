// expected: sinter: only an Upsample that is Bilinear has AlignCorners
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<6, 4, 4>, Upsample<2, AlignCorners>> {};
Network<Net> net;
