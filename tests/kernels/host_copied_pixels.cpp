// SPDX-License-Identifier: MIT
// labels: large
#include "support/host_check.hpp"
#include "support/more_networks.hpp"

using namespace sinter::internal;
using namespace sinter_test;

TEST_CASE("one row of convolutions that copy their pixels") { check_host(networks::CopiedPixels{}); }

TEST_CASE("one row of small images, whose rows are computed as one") { check_host(networks::SmallImages{}); }
