// SPDX-License-Identifier: MIT
// labels: threads large unsanitized
#include "support/host_check.hpp"
#include "support/recurrent_networks.hpp"

using namespace sinter::internal;
using namespace sinter_test;

TEST_CASE("recurrent layers beside others") { check_host(networks::MixedRecurrents{}); }
TEST_CASE("recurrent layers beside others in float") { check_host_float(networks::MixedRecurrents{}); }
