// SPDX-License-Identifier: MIT
// labels: large gpu
#include "support/cuda_check.hpp"
#include "support/shared_networks.hpp"

using namespace sinter::internal;
using namespace sinter_test;

TEST_CASE("products") { check_cuda(networks::SharedProducts{}); }
TEST_CASE("a set inside of another") { check_cuda(networks::SharedInShared{}); }
TEST_CASE("tables, normalisations, slopes") { check_cuda(networks::SharedOthers{}); }
TEST_CASE("windows") { check_cuda(networks::SharedImages{}); }
TEST_CASE("statistics of a batch") { check_cuda_phases(networks::SharedNorms{}); }
