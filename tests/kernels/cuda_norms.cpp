// SPDX-License-Identifier: MIT
#include "support/cuda_check.hpp"

using namespace sinter;
using namespace sinter_test;

TEST_CASE("statistics of a sample") { check_cuda(networks::GroupNorms{}); }

TEST_CASE("statistics of a batch") { check_cuda_phases(networks::BatchNorms{}); }

TEST_CASE("a mean that is large beside the deviation costs no digits") {
  using Model = Sequential<Input<2, 5, 40>, GroupNorm<1>, Flatten, LayerNorm<>>;
  Batch<double> exact(any_model<Model>(), 5, 1);
  for (double& x : exact.x) x = static_cast<double>(static_cast<float>(4096 + x));
  const Batch<float> rounded(exact);
  ReferenceEngine<Model, double> reference;
  const auto wanted = outputs_of(reference, exact);
  CudaOnHost<Model, float, KernelPlan::tiles> tiles;
  CudaOnHost<Model, float, KernelPlan::phases> phases;
  CHECK(norm_error(outputs_of(tiles, rounded), wanted) < 1e-6);
  CHECK(norm_error(outputs_of(phases, rounded), wanted) < 1e-6);
}
