// SPDX-License-Identifier: MIT
// One program of five files that share kernels: this one trains a network that nets.cu trains too.
#include <cstdio>

#include "nets.hpp"

bool all_learn();       // nets.cu
int functors_differ();  // functors.cu
bool options_learn();   // options.cu
bool heads_learn();     // heads.cu

int main() {
  if (sinter::cuda_devices().empty()) {
    std::printf("skipped: %s\n", sinter::why_no_cuda().c_str());
    return 77;
  }
  return nets::learns<nets::Mlp, sinter::CudaPlan::resident>() && all_learn() && functors_differ() == 0 &&
                 options_learn() && heads_learn()
             ? 0
             : 1;
}
