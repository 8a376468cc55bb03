// SPDX-License-Identifier: MIT
// labels: cuda large gpu
#include <doctest/doctest.h>

#include <chrono>
#include <future>

#include "sinter/layers/linear.hpp"
#include "sinter/model/sequential.hpp"
#include "sinter/serve.hpp"
#include "sinter/sinter.cuh"
#include "support/cuda_training.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {
struct Net : Sequential<Input<3>, Linear<4>> {};
}  // namespace

TEST_CASE("a network on a GPU answers in batches, and another one after it") {
  const FreshCuda fake;
  const Network<Net, Cuda> net{{.seed = 3}};
  Batcher batcher(net, {.workers = 2, .max_delay = std::chrono::microseconds(0)});
  const Tensor<float, Shape<3>> x{1, 2, 3, 4, 5, 6};
  const auto check = [&](const Network<Net>& wanted) {
    auto workspace = wanted.workspace(2);
    const auto want = wanted.forward(x, workspace);
    const auto y = batcher.async(x).get();
    for (int i = 0; i < 4; ++i) CHECK(y(1, i) == doctest::Approx(want(1, i)));
  };
  check(net);
  batcher.replace(Network<Net, Cuda>{{.seed = 4}});
  check(Network<Net>{{.seed = 4}});
}
