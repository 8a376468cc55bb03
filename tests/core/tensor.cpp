// SPDX-License-Identifier: MIT
// labels: optimised
#include "sinter/core/tensor.hpp"

#include <doctest/doctest.h>

#include "support/error_of.hpp"

using namespace sinter;

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wbraced-scalar-init"  // {{5}} is what is tested
#endif

TEST_CASE("braces hold values, one or many; a number in parentheses is rows of zeros") {
  const Tensor<float, Shape<1>> one{{5}}, two{{5, 6}}, bare{5}, rows(5);
  CHECK(one.rows() == 1);
  CHECK(one(0, 0) == 5);
  CHECK(two.rows() == 2);
  CHECK(two(1, 0) == 6);
  CHECK(bare.rows() == 1);
  CHECK(rows.rows() == 5);
  CHECK(rows(4, 0) == 0);
  CHECK(error_of([] { Tensor<float, Shape<2>>(static_cast<std::size_t>(-1)); }) ==
        "a tensor of 18446744073709551615 rows was asked for; no machine has that memory");
  CHECK(error_of([] { Tensor<float, Shape<4>>(std::size_t{1} << 62); }).find("a tensor of ") == 0);
  CHECK(error_of([] { Tensor<float, Shape<2>>{{5}}; }).find("rows of 2 numbers was given 1 numbers") !=
        std::string::npos);
}
