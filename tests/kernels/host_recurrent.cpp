// SPDX-License-Identifier: MIT
// labels: threads large unsanitized
#include "support/host_check.hpp"
#include "support/recurrent_networks.hpp"

using namespace sinter::internal;
using namespace sinter_test;

TEST_CASE("recurrent layers of the reference, by central differences") {
  check_gradients(MakeReference{}, networks::Recurrents{});
}
TEST_CASE("recurrent layers") { check_host(networks::Recurrents{}); }
TEST_CASE("recurrent layers in float") { check_host_float(networks::Recurrents{}); }
