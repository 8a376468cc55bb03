// SPDX-License-Identifier: MIT
// One program of five files that share kernels: this one trains a network that nets.cu trains too. A row alone goes through the
// host's kernels, which nvcc compiles as well.
#include <cstdio>

#include "nets.hpp"

bool all_learn();       // nets.cu
int functors_differ();  // functors.cu
bool options_learn();   // options.cu
bool heads_learn();     // heads.cu

struct OnHost : sinter::Sequential<sinter::Input<1, 12, 12>, sinter::Conv2d<4, 3>, sinter::MaxPool2d<2>,
                                   sinter::LayerNorm<>, sinter::Flatten, sinter::Linear<5>> {};
bool answers_on_host() {
  const sinter::Network<OnHost> net{{.seed = 1}};
  auto workspace = net.workspace(1);
  const sinter::Tensor<float, sinter::Shape<1, 12, 12>> x(1);
  const float first = net.forward(x, workspace)(0, 0);
  return first != 0 && first == net.forward(x, workspace)(0, 0);
}

int main() {
  if (!answers_on_host()) return 1;
  if (sinter::cuda_devices().empty()) {
    std::printf("skipped: %s\n", sinter::why_no_cuda().c_str());
    return 77;
  }
  return nets::learns<nets::Mlp, sinter::CudaPlan::resident>() && all_learn() && functors_differ() == 0 &&
                 options_learn() && heads_learn()
             ? 0
             : 1;
}
