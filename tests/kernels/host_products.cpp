// SPDX-License-Identifier: MIT
// labels: large optimised
#include "support/host_check.hpp"

using namespace sinter::internal;
using namespace sinter_test;
using networks::Chain;

// Sizes around the lanes, the register blocks and the whole packs of the products.
using Odd = TypeList<Chain<Input<50>, Linear<17>>, Chain<Input<7>, Linear<8>, ReLU, Linear<1>, Linear<9>>>;

TEST_CASE("losses") { check_host(networks::Losses{}); }
TEST_CASE("matrix products") { check_host(networks::Products{}); }
TEST_CASE("matrix products of odd sizes") { check_host(Odd{}); }
TEST_CASE("matrix products in float") { check_host_float(Chain<Input<33>, Linear<50>, ReLU, Linear<17>>{}); }
