// SPDX-License-Identifier: MIT
// labels: large
#include "support/host_check.hpp"
#include "support/more_networks.hpp"

using namespace sinter::internal;
using namespace sinter_test;

TEST_CASE("adaptive pools") {
  check_host(networks::AdaptivePools{});
  check_host(networks::AdaptiveMaxPools{});
}
TEST_CASE("reshapes") { check_host(networks::Reshapes{}); }
TEST_CASE("PReLU") { check_host(networks::PReLUs{}); }
TEST_CASE("series") { check_host(networks::Series{}); }
TEST_CASE("batch normalisation of series") { check_host(networks::SeriesNorms{}); }
TEST_CASE("transposed convolutions") { check_host(networks::Transposed{}); }
TEST_CASE("embeddings") { check_host(networks::Embeddings{}); }
TEST_CASE("highways") { check_host(networks::Highways{}); }
TEST_CASE("gates") { check_host(networks::Gates{}); }
TEST_CASE("recurrent cells") { check_host(networks::Cells{}); }
TEST_CASE("slices") {
  check_host(networks::Slices{});
  check_host(networks::SliceOfEmbeddings{});
}
