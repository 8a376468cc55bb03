// SPDX-License-Identifier: MIT
// Networks of which g++ 12 folded a plan wrongly where it does not optimise, as it compiles this test: it takes both of them.
#include "sinter/layers/prelu.hpp"
#include "support/host_check.hpp"

using namespace sinter::internal;
using namespace sinter_test;

TEST_CASE("two networks with products of channels, row by row") {
  check_host(TypeList<Case<Sequential<Input<5>, PReLU<PerChannel>, Linear<3>, PReLU<PerChannel>>>,
                      Case<Sequential<Input<5>, PReLU<PerChannel>, Linear<5>, PReLU<PerChannel>>>>{});
}
