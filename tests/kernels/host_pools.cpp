// SPDX-License-Identifier: MIT
#include "support/host_check.hpp"

using namespace sinter;
using namespace sinter_test;

TEST_CASE("pools") { check_host(networks::Pools{}); }
