// SPDX-License-Identifier: MIT
// labels: large gpu
#include "support/cuda_check.hpp"
#include "support/more_networks.hpp"

using namespace sinter::internal;
using namespace sinter_test;

TEST_CASE("adaptive pools") {
  check_cuda(networks::AdaptivePools{});
  check_cuda(networks::AdaptiveMaxPools{});
}
TEST_CASE("reshapes") { check_cuda(networks::Reshapes{}); }
TEST_CASE("PReLU") { check_cuda(networks::PReLUs{}); }
TEST_CASE("series") { check_cuda(networks::Series{}); }
TEST_CASE("highways") { check_cuda(networks::Highways{}); }
TEST_CASE("gates") { check_cuda(networks::Gates{}); }
TEST_CASE("recurrent cells") { check_cuda(networks::Cells{}); }
TEST_CASE("slices") { check_cuda(networks::Slices{}); }
TEST_CASE("transposed convolutions") { check_cuda(networks::Transposed{}); }
TEST_CASE("embeddings") {
  check_cuda(networks::Embeddings{});
  check_cuda(networks::SliceOfEmbeddings{});
}
