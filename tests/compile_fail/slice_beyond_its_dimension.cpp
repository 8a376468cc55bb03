// expected: sinter: a layer does not accept the shape it gets
// expected: a_dimension_of_that_number_with_as_many_numbers_as_are_taken
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<3, 6>, Slice<2, 5, 2>> {};
Network<Net> net;
