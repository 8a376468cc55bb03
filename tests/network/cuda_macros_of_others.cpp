// SPDX-License-Identifier: MIT
// labels: cuda
#include <cuda_runtime_api.h>

#include "support/fake_cuda/fake_cuda.hpp"
#include "support/macros_of_others.hpp"
// What is behind it must not mind.
#include "sinter/sinter.cuh"

struct Line : sinter::Sequential<sinter::Input<2>, sinter::Linear<2>> {};

TEST_CASE("the headers of the Cuda device mean what they say behind macros of others") {
  sinter_test::fake_cuda::reset();
  sinter::Network<Line, sinter::Cuda> net;
  const auto history = sinter::fit(net, sinter::disc(20, 1), sinter::CrossEntropyLoss{}, sinter::SGD{.lr = 0.1});
  CHECK(history.epochs.size() == 1);
}
