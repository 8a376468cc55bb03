// SPDX-License-Identifier: MIT
// expected: sinter: ranks train on the GPU by the plan pair, whose products are float32: Ranks<Cuda>
#include <sinter/ranks.cuh>
using namespace sinter;
struct Net : Sequential<Input<4>, Linear<2>> {};
void make(Communicator& world) { Network<Net, Ranks<CudaWith<CudaPlan::automatic, CudaProducts::tf32>>> net{{world}}; }
