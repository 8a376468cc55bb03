// SPDX-License-Identifier: MIT
#include "support/host_check.hpp"

using namespace sinter;
using namespace sinter_test;

TEST_CASE("statistics of a sample") { check_host(networks::GroupNorms{}); }
TEST_CASE("statistics of a sample in float") { check_host_float(networks::GroupNorms{}); }
