// SPDX-License-Identifier: MIT
// labels: large
#include "support/host.hpp"
#include "support/pytorch_layers.hpp"

using namespace sinter_test;

TEST_CASE("layers give the numbers of PyTorch") { check_layers_against_pytorch<float>(MakeHost<>{2}); }
