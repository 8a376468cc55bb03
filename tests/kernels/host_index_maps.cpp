// SPDX-License-Identifier: MIT
// labels: large
#include "support/host_check.hpp"
#include "support/index_map_networks.hpp"

using namespace sinter::internal;
using namespace sinter_test;

TEST_CASE("permuted dimensions") { check_host(networks::Permutations{}); }
TEST_CASE("parts of dimensions") { check_host(networks::Parts{}); }
TEST_CASE("padding") { check_host(networks::Pads{}); }
TEST_CASE("larger images") { check_host(networks::Upsamples{}); }
TEST_CASE("pixels and channels") { check_host(networks::Shuffles{}); }
TEST_CASE("sums and means along dimensions") { check_host(networks::Sums{}); }
TEST_CASE("softmax along a dimension") { check_host(networks::SoftmaxesAlong{}); }
TEST_CASE("normalisation of the last dimensions") { check_host(networks::LastNorms{}); }
