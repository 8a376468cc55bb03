// SPDX-License-Identifier: MIT
// labels: large gpu
#include "support/cuda_check.hpp"
#include "support/heads_networks.hpp"

using namespace sinter_test;

TEST_CASE("several outputs") { check_cuda(networks::SeveralHeads{}); }
