// SPDX-License-Identifier: MIT
// labels: large gpu change
#include <doctest/doctest.h>

#include "support/cuda_check.hpp"

using namespace sinter::internal;
using namespace sinter_test;

TEST_CASE("losses") {
  check_cuda(networks::Losses{});
  check_cuda(networks::MoreLosses{});
}
TEST_CASE("products") { check_cuda(networks::Products{}); }
TEST_CASE("maps") { check_cuda(networks::Maps{}); }
TEST_CASE("activations") { check_cuda(networks::Activations{}); }
TEST_CASE("rows") { check_cuda(networks::Rows{}); }
