// expected: sinter: ranks divide batches only on the host, Network<Model, Ranks<Host>> net{{world}}
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>

#include <sinter/ranks.hpp>
using namespace sinter;

struct Net : Sequential<Input<4>, Linear<2>> {};

void make(Communicator& world) { Network<Net, Ranks<Reference>> net{{world}}; }
