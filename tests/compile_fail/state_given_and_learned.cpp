// expected: sinter: the state of a recurrent layer is given or learned: leave out one of the two
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Bad : Sequential<Input<14>,
                        Recurrent<RNN<2, LearnedState>, Path<Slice<2, 12>, Reshape<4, 3>>, InitialState<Slice<0, 2>>>> {
};
Network<Bad> net;
