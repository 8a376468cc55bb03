// SPDX-License-Identifier: MIT
// labels: optimised
#include "sinter/core/from_chars.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <clocale>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>

using namespace sinter::internal;

namespace {

template <class T, class Bits>
void check(const std::string& text) {
  CAPTURE(text);
  const char* const end = text.data() + text.size();
  T got = T(7), want = T(7);
  const auto by_c = detail::float_from_chars(text.data(), end, got);
  const auto by_cpp = std::from_chars(text.data(), end, want);
  CHECK(by_c.ptr - text.data() == by_cpp.ptr - text.data());
  CHECK(by_c.ec == by_cpp.ec);
  CHECK((std::bit_cast<Bits>(got) == std::bit_cast<Bits>(want) || (got != got && want != want)));
}
void check(const std::string& text) {
  check<float, std::uint32_t>(text);
  check<double, std::uint64_t>(text);
}

}  // namespace

#if !defined(_LIBCPP_VERSION) || _LIBCPP_VERSION >= 200000
TEST_CASE("numbers read by the C library are those of std::from_chars") {
  for (const char* text : {"",
                           "-",
                           ".",
                           "+1",
                           " 1",
                           "1",
                           "-1",
                           "1.",
                           ".5",
                           "-.5",
                           "1.5e3",
                           "1e",
                           "1e+",
                           "1e-",
                           "1e+2",
                           "1E-2",
                           "1x",
                           "0x10",
                           "1,5",
                           "1..2",
                           "--1",
                           "e5",
                           "inf",
                           "-INF",
                           "infinity",
                           "infinite",
                           "nan",
                           "-NaN",
                           "in",
                           "1e999",
                           "-1e999",
                           "1e-999",
                           "0e999",
                           "0.000e-999",
                           "1e39",
                           "1e-46",
                           "4.9e-324",
                           "1e-310",
                           "3e-40",
                           "123456789012345678901234567890",
                           "0.1",
                           "16777217",
                           "9007199254740993"})
    check(text);
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    char text[40];
    std::snprintf(text, sizeof text, "%.*g", i % 18 + 1, std::bit_cast<double>(random()));
    check(text);
  }
}
#endif

TEST_CASE("in any locale") {
  if (!std::setlocale(LC_NUMERIC, "de_DE.UTF-8")) return;
  double value = 0;
  const std::string text = "1.5";
  CHECK(detail::float_from_chars(text.data(), text.data() + text.size(), value).ptr == text.data() + text.size());
  CHECK(value == 1.5);
  std::setlocale(LC_NUMERIC, "C");
}
