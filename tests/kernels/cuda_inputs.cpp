// SPDX-License-Identifier: MIT
// labels: large gpu
#include "support/cuda_check.hpp"
#include "support/input_networks.hpp"

using namespace sinter::internal;
using namespace sinter_test;

TEST_CASE("several inputs") { check_cuda(networks::SeveralInputs{}); }
TEST_CASE("values that follow from the input alone") { check_cuda_phases(networks::Unlearned{}); }
