// SPDX-License-Identifier: MIT
// expected: sinter: a layer does not accept the shape it gets
// expected: AdaptiveMaxPool1d<3>
// expected: {3, 2, 6, 6}
// expected: a_series_of_channels_and_a_length_with_windows_of_at_most_65536_numbers
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2, 6, 6>, AdaptiveMaxPool1d<3>, Flatten, Linear<2>> {};
Network<Net> net;
