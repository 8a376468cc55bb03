// SPDX-License-Identifier: MIT
// expected: sinter: a layer does not accept the shape it gets
// expected: rows_of_features_put_Flatten_before_it
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2, 8, 8>, BatchNorm1d<>> {};
Network<Net> net;
