// SPDX-License-Identifier: MIT
// labels: large gpu
#include "support/cuda_check.hpp"
#include "support/recurrent_networks.hpp"

using namespace sinter::internal;
using namespace sinter_test;

TEST_CASE("a learned state before the first step") { check_cuda(networks::LearnedStates{}); }
TEST_CASE("h that is projected") { check_cuda(networks::Projections{}); }
TEST_CASE("rows of fewer steps") { check_cuda(networks::Ragged{}); }
TEST_CASE("a given state before the first step") { check_cuda(networks::GivenStates{}); }
TEST_CASE("recurrent layers beside others") { check_cuda_phases(networks::MixedRecurrents{}); }
