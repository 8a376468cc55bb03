// SPDX-License-Identifier: MIT
// labels: large
#include "support/host_check.hpp"

using namespace sinter::internal;
using namespace sinter_test;

TEST_CASE("residuals") { check_host(networks::Residuals{}); }
TEST_CASE("residuals in float") { check_host_float(networks::Residuals{}); }
TEST_CASE("concats") { check_host(networks::Concats{}); }
TEST_CASE("concats in float") { check_host_float(networks::Concats{}); }
