// expected: sinter: dimension 0 of a SoftmaxAlong is the batch
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<3, 6>, SoftmaxAlong<0>> {};
Network<Net> net;
