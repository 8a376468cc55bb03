// SPDX-License-Identifier: MIT
// expected: sinter: ranks divide batches on the GPU only of networks without BatchNorm, whose statistics need all rows
#include <sinter/ranks.cuh>
using namespace sinter;
struct Net : Sequential<Input<4>, Linear<8>, BatchNorm1d<>, Linear<2>> {};
void make(Communicator& world) { Network<Net, Ranks<Cuda>> net{{world}}; }
