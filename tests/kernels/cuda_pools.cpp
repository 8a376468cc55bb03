// SPDX-License-Identifier: MIT
// labels: large gpu
#include "support/cuda_check.hpp"
#include "support/winners.hpp"

using namespace sinter_test;

TEST_CASE("pools") { check_cuda(networks::Pools{}); }

TEST_CASE("which number of a window a max pool takes") {
  check_winners_of_pools([]<class Model> { return CudaOnHost<Model, double, KernelPlan::tiles>(); });
  check_winners_of_pools([]<class Model> { return CudaOnHost<Model, double, KernelPlan::phases>(); });
}
