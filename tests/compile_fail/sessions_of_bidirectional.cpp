// expected: sinter: a layer of this model cannot stream: see layer_streams<number, layer, why>
// expected: a_cell_that_begins_at_the_end_of_the_sequence
// SPDX-License-Identifier: MIT
#include <sinter/serve.hpp>
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<20, 3>, LSTM<4, Bidirectional>> {};

void serve(const Network<Net>& net) {
  Sessions sessions(net);
  Session session = sessions.open();
  const float x[3]{};
  session.async({x, 1});
}
