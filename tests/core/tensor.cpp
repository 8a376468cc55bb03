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
  const Tensor<float, Shape<1>> one{{5}}, two{{5, 6}}, bare{5.0f}, rows(5);
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
  // A single whole number in braces might be meant as rows.
  constexpr int batch = 64;
  const std::string refused =
      "a tensor was given the whole number 64 in braces, which hold values; write (64) for 64 rows of zeros, or {{64}} "
      "for the number";
  CHECK(error_of([] { Tensor<float, Shape<1>>{batch}; }) == refused);
  CHECK(error_of([] { Tensor<double, Shape<1, 128>>{64}; }) == refused);
  CHECK(error_of([] { Tensor<float, Shape<1>>{64L}; }) == refused);
  CHECK(error_of([] { Tensor<std::uint8_t, Shape<1>>{64}; }) == refused);
  CHECK(error_of([] { const Tensor<float, Shape<2>> x = {batch}; }) == refused);
  CHECK(error_of([] {
          struct Member {
            Tensor<float, Shape<1>> x{batch};
          } member;
        }) == refused);
  const Tensor<float, Shape<2>> four{0, 1, batch, -3}, mixed{{1, 2.5f}};
  CHECK(four(1, 0) == 64);
  CHECK(four(1, 1) == -3);
  CHECK(mixed(0, 1) == 2.5f);
  const Tensor<std::uint8_t, Shape<2>> bytes{7, 255}, own{std::uint8_t{1}, std::uint8_t{2}};
  CHECK(bytes(0, 1) == 255);
  CHECK(own(0, 1) == 2);
  CHECK(error_of([] { Tensor<std::uint8_t, Shape<2>>{7, 256}; }).find("the number 256 was given for a tensor of") == 0);
  CHECK(error_of([] { Tensor<float, Shape<2>>{{5}}; }).find("rows of 2 numbers was given 1 numbers") !=
        std::string::npos);
}
