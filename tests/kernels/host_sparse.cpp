// SPDX-License-Identifier: MIT
// labels: large optimised sanitized
#include "support/host_sparse.hpp"
#include "support/changed_weights.hpp"

using namespace sinter::internal;
using namespace sinter_test;

// Channels last: fewer than a pack, a whole number of packs, one more.
TEST_CASE("zeros skipped: 3 channels, padding") {
  check_sparse<Kernels::channels, Input<3, 9, 8>, List<Conv2d<5, 3, Padding<1>>>, List<MaxPool2d<2>, ReLU>>();
}
TEST_CASE("zeros skipped: 10 channels after a layer") {
  check_sparse<Kernels::channels, Input<10, 8, 11>, List<Conv2d<7, Kernel<3, 5>>, Dropout2d<0.5>>,
               List<MaxPool2d<2>, ReLU, Dropout<0.3>>, List<Conv2d<10, 2>, Tanh>>();
}
TEST_CASE("zeros skipped: 17 channels, stride 2, padding 2 and 1") {
  check_sparse<Kernels::channels, Input<17, 11, 10>, List<Conv2d<4, 3, Stride<2>, Padding<2, 1>>>,
               List<MaxPool2d<2>, ReLU>>();
}

struct Sparse : Sequential<Input<3, 9, 8>, Conv2d<10, 2>, Tanh, Conv2d<5, 3, Padding<1>>, MaxPool2d<2>, ReLU, Flatten,
                           Linear<3>> {};
static_assert(PlanOf<Sparse, float>::sparse(1) && PlanOf<Sparse, float, true>::sparse(1));
TEST_CASE("no packed weights outlive a call") { check_changed_weights<Sparse>(); }
