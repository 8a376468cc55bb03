// SPDX-License-Identifier: MIT
// labels: large
#include "support/host_check.hpp"

using namespace sinter;
using namespace sinter_test;

TEST_CASE("convolutions") { check_host(networks::Convolutions{}); }
