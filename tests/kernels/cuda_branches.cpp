// SPDX-License-Identifier: MIT
// labels: large gpu
#include "support/cuda_check.hpp"

using namespace sinter::internal;
using namespace sinter_test;

TEST_CASE("residuals") { check_cuda(networks::Residuals{}); }
TEST_CASE("concats") { check_cuda(networks::Concats{}); }
