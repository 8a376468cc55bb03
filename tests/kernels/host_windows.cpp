// SPDX-License-Identifier: MIT
// labels: large sanitized
#include "support/host_check.hpp"
#include "support/more_networks.hpp"

using namespace sinter::internal;
using namespace sinter_test;

TEST_CASE("wide pools") { check_host(networks::WidePools{}); }
TEST_CASE("wide windows") { check_host(networks::WideWindows{}); }
TEST_CASE("values with a border, read as rows and in other shapes") { check_host(networks::BordersAsRows{}); }
