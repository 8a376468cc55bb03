// SPDX-License-Identifier: MIT
#include "support/cuda_check.hpp"

using namespace sinter;
using namespace sinter_test;

TEST_CASE("statistics of a sample") { check_cuda(networks::GroupNorms{}); }
