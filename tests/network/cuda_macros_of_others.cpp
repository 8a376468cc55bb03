// SPDX-License-Identifier: MIT
// labels: cuda gpu
#include <cuda_runtime_api.h>

#include "support/fake_cuda/fake_cuda.hpp"
#include "support/macros_of_others.hpp"
// The headers after it must still compile.
#include "sinter/sinter.cuh"

struct Line : sinter::Sequential<sinter::Input<2>, sinter::Linear<2>> {};

TEST_CASE("the headers of the Cuda device keep their meaning after macros of others") {
  sinter_test::fake_cuda::reset();
  sinter::Network<Line, sinter::Cuda> net;
  const auto history = sinter::fit(net, sinter::disc(20, 1), sinter::CrossEntropyLoss{}, sinter::SGD{.lr = 0.1});
  CHECK(history.epochs.size() == 1);
}
