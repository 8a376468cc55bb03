// SPDX-License-Identifier: MIT
// labels: optimised
#include <doctest/doctest.h>

#include "sinter/core/printable.hpp"
#include "support/error_of.hpp"

using namespace sinter::internal;

TEST_CASE("messages show control characters, and those that turn text, as their numbers") {
  using namespace std::string_view_literals;
  CHECK(printable("the tensor \"0.weight\" [2, 3]") == "the tensor \"0.weight\" [2, 3]");
  CHECK(printable("\x1b]0;a\x07 b\r\n c\0d\x7f"sv) == "\\x1b]0;a\\x07 b\\x0d\\x0a c\\x00d\\x7f");
  CHECK(printable("\u202eabc\u2066\u200f") == "\\u202eabc\\u2066\\u200f");
  CHECK(printable("\u009b31m\u0080\u009f\u061cb") == "\\u009b31m\\u0080\\u009f\\u061cb");
  CHECK(printable("\u00a0\u061b\xC2") == "\u00a0\u061b\xC2");
  CHECK(printable("größer, 数, \xE2\x80") == "größer, 数, \xE2\x80");
  CHECK(printable("several:\n  0: one\n  1: two\nthree") == "several:\n  0: one\n  1: two\\x0athree");
  CHECK(printable("").empty());
  CHECK(error_of([] { fail("a\nb"); }) == "a\\x0ab");
}
