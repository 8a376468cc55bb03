// expected: sinter: a Recurrent has a layer, a Path, and Lengths or InitialState: Recurrent<GRU<8>,
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Bad : Sequential<Input<10, 3>, Recurrent<GRU<8>, Lengths<Slice<0, 1>>>> {};
Network<Bad> net;
