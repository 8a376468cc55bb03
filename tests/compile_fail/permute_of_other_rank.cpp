// expected: sinter: a layer does not accept the shape it gets
// expected: as_many_dimensions_as_it_names_with_the_batch
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<3, 6>, Permute<0, 2, 3, 1>> {};
Network<Net> net;
