// SPDX-License-Identifier: MIT
// expected: sinter: ranks divide batches on the GPU only by the plan pair: Ranks<Cuda>
#include <sinter/ranks.cuh>
using namespace sinter;
struct Net : Sequential<Input<4>, Linear<2>> {};
void make(Communicator& world) { Network<Net, Ranks<CudaWith<CudaPlan::layers>>> net{{world}}; }
