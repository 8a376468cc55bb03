// SPDX-License-Identifier: MIT
// labels: large
#include "support/attention_networks.hpp"
#include "support/host_check.hpp"

using namespace sinter::internal;
using namespace sinter_test;

TEST_CASE("products of the reference, by central differences") {
  check_gradients(MakeReference{}, networks::MatrixProducts{});
  check_gradients(MakeReference{}, networks::CausalProducts{});
}
TEST_CASE("products of two values") { check_host(networks::MatrixProducts{}); }
TEST_CASE("products with a causal mask") { check_host(networks::CausalProducts{}); }
TEST_CASE("products in float") { check_host_float(networks::MatrixProducts{}); }
