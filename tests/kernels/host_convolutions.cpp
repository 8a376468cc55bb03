// SPDX-License-Identifier: MIT
// labels: large
#include "support/host_check.hpp"

using namespace sinter::internal;
using namespace sinter_test;

TEST_CASE("convolutions") { check_host(networks::Convolutions{}); }
