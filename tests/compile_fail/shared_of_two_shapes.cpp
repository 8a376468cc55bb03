// SPDX-License-Identifier: MIT
// expected: sinter: a Shared gets a shape for which its weights would have other shapes than in its first place
// expected: shared_weights_fit
#include <sinter/sinter.hpp>
using namespace sinter;
struct Tower : Shared<Linear<8>, ReLU> {};
struct Net : Sequential<Input<4>, Tower, Tower> {};
Network<Net> net;
