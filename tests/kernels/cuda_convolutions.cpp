// SPDX-License-Identifier: MIT
// labels: large gpu
#include "support/cuda_check.hpp"

using namespace sinter_test;

TEST_CASE("convolutions") { check_cuda(networks::Convolutions{}); }
