// SPDX-License-Identifier: MIT
// labels: large
#include "support/host_check.hpp"

using namespace sinter::internal;
using namespace sinter_test;
using networks::Chain;

// The block sizes of other instruction sets, whatever this program is compiled for: fewer registers, fewer lanes.
using Dropped = Chain<Input<3, 9, 7>, Conv2d<5, Kernel<3, 2>>, Dropout2d<0.5>, MaxPool2d<2>, ReLU, Conv2d<4, 2>, Tanh>;
using Winograd = Chain<Input<16, 4, 5>, Conv2d<17, 3, Padding<1>>, MaxPool2d<Kernel<2, 1>>, Tanh>;

TEST_CASE_TEMPLATE("the plan for another instruction set", Isa, isa::Portable, isa::Avx2, isa::Avx512Wide, isa::Neon,
                   isa::Scalar) {
  check_host<networks::EveryOp, NLLLoss, Isa>(Case<networks::EveryOp, NLLLoss>{});
  check_host<Dropped::Model, Dropped::Loss, Isa>(Dropped{});
  check_host<Winograd::Model, Winograd::Loss, Isa>(Winograd{});
  check_host_float<networks::EveryOp, NLLLoss, Isa>(Case<networks::EveryOp, NLLLoss>{});
}
