// SPDX-License-Identifier: MIT
// expected: sinter: a Product has two branches; of three: Product<Path<..>, Path<Product<Path<..>, Path<..>>>>
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Product<Path<Linear<2>>, Path<Linear<2>>, Path<Linear<2>, Sigmoid>>> {};
Network<Net> net;
