// SPDX-License-Identifier: MIT
// labels: large
#include "support/cuda_check.hpp"

using namespace sinter_test;

TEST_CASE("pools") { check_cuda(networks::Pools{}); }
