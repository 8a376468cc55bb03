// SPDX-License-Identifier: MIT
// labels: large
#include "support/heads_networks.hpp"
#include "support/host_check.hpp"

using namespace sinter_test;

TEST_CASE("several outputs") { check_host(networks::SeveralHeads{}); }
TEST_CASE("several outputs in float") { check_host_float(networks::SeveralHeads{}); }
