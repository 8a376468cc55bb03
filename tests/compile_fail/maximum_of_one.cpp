// SPDX-License-Identifier: MIT
// expected: sinter: a Maximum has two branches; of three: Maximum<Path<..>, Path<Maximum<Path<..>, Path<..>>>>
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Maximum<Path<Linear<2>>>> {};
Network<Net> net;
