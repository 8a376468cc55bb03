// SPDX-License-Identifier: MIT
// labels: threads large sanitized
#include "support/host_check.hpp"
#include "support/recurrent_networks.hpp"

using namespace sinter::internal;
using namespace sinter_test;

TEST_CASE("a learned state before the first step") { check_reference_and_host(networks::LearnedStates{}); }
TEST_CASE("h that is projected") { check_reference_and_host(networks::Projections{}); }
