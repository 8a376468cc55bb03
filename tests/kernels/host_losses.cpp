// SPDX-License-Identifier: MIT
// labels: large sanitized
#include "support/host_check.hpp"

using namespace sinter_test;

TEST_CASE("losses") { check_host(networks::MoreLosses{}); }
