// SPDX-License-Identifier: MIT
// labels: threads large unsanitized
#include "support/host_check.hpp"
#include "support/recurrent_networks.hpp"

using namespace sinter::internal;
using namespace sinter_test;

TEST_CASE("rows of fewer steps") { check_reference_and_host(networks::Ragged{}); }
TEST_CASE("a given state before the first step") { check_reference_and_host(networks::GivenStates{}); }
