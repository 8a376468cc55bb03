// SPDX-License-Identifier: MIT
// labels: large
#include "support/host_check.hpp"
#include "support/shared_networks.hpp"

using namespace sinter::internal;
using namespace sinter_test;

TEST_CASE("products by the plan layer") { check_host(networks::SharedProducts{}); }
TEST_CASE("products by the plan layer in float") { check_host_float(networks::SharedProducts{}); }
TEST_CASE("a set inside of another") { check_host(networks::SharedInShared{}); }
TEST_CASE("tables, normalisations, slopes") { check_host(networks::SharedOthers{}); }
TEST_CASE("windows") { check_host(networks::SharedImages{}); }
TEST_CASE("statistics of a batch") { check_host(networks::SharedNorms{}); }
