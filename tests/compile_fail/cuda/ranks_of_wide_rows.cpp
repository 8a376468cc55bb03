// SPDX-License-Identifier: MIT
// expected: sinter: ranks divide batches on the GPU only of networks of which one row fits in a block's memory
#include <sinter/ranks.cuh>
using namespace sinter;
struct Net : Sequential<Input<4>, Linear<60000>, ReLU, Linear<2>> {};
void make(Communicator& world) { Network<Net, Ranks<Cuda>> net{{world}}; }
