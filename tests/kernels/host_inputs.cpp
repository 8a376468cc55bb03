// SPDX-License-Identifier: MIT
// labels: large sanitized
#include "support/host_check.hpp"
#include "support/input_networks.hpp"

using namespace sinter::internal;
using namespace sinter_test;

TEST_CASE("several inputs") { check_host(networks::SeveralInputs{}); }
TEST_CASE("values that follow from the input alone") { check_host(networks::Unlearned{}); }
