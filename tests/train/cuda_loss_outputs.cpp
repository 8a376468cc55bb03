// SPDX-License-Identifier: MIT
// labels: cuda gpu
// Losses of users that read other outputs than a row has, on Cuda.
#include <doctest/doctest.h>

#include "sinter/sinter.cuh"
#include "support/cuda_training.hpp"
#include "support/error_of.hpp"
#include "support/gaussian_nll.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {
template <int Outputs>
struct Net : Sequential<Input<2>, Linear<Outputs>> {};
}  // namespace

TEST_CASE("a loss that reads more outputs than there are is refused before a step") {
  const FreshCuda cuda_runtime;
  const Tensor<float, Shape<2>> x{{0, 0, 0, 1, 1, 0, 1, 1}};
  const Tensor<float, Shape<1>> y{{0.1f, 0.4f, 0.3f, 0.9f}};
  Network<Net<1>, Cuda> net;
  CHECK(error_of([&] { fit(net, dataset(x, y), GaussianNLL<>{}, SGD{.lr = 0.1}); }) ==
        "GaussianNLL was given a row of 1 outputs and reads number 1 (they count from 0); end the network in as many "
        "outputs as the loss reads, and say in the loss how many these are: static constexpr int outputs = 2");
  Network<Net<2>, Cuda> wider;
  CHECK(error_of([&] { fit(wider, dataset(x, y), GaussianNLLOfTwo{}, SGD{.lr = 0.1}); }) == "(no error)");
}
