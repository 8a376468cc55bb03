// SPDX-License-Identifier: MIT
// labels: large
#include "support/host_check.hpp"

using namespace sinter::internal;
using namespace sinter_test;

TEST_CASE("batch normalisation") { check_host(networks::BatchNorms{}); }
TEST_CASE("batch normalisation in float") { check_host_float(networks::BatchNorms{}); }
