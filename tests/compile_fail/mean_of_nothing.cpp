// expected: sinter: Mean takes one dimension or more; 0 is the batch
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<6, 4, 4>, Mean<>, Linear<2>> {};
Network<Net> net;
