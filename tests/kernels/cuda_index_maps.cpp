// SPDX-License-Identifier: MIT
// labels: large gpu
#include "support/cuda_check.hpp"
#include "support/index_map_networks.hpp"

using namespace sinter::internal;
using namespace sinter_test;

TEST_CASE("permuted dimensions") { check_cuda(networks::Permutations{}); }
TEST_CASE("parts of dimensions") { check_cuda(networks::Parts{}); }
TEST_CASE("padding") { check_cuda(networks::Pads{}); }
TEST_CASE("larger images") { check_cuda(networks::Upsamples{}); }
TEST_CASE("pixels and channels") { check_cuda(networks::Shuffles{}); }
TEST_CASE("sums and means along dimensions") { check_cuda(networks::Sums{}); }
TEST_CASE("softmax along a dimension") { check_cuda(networks::SoftmaxesAlong{}); }
TEST_CASE("normalisation of the last dimensions") { check_cuda(networks::LastNorms{}); }
