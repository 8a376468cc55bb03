// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/number_text.hpp"
#include "sinter/optimizer/apply.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION void require_at_least_zero(const char* optimizer, const char* what, double value) {
  if (!(value >= 0 && value <= 1.7976931348623157e308))
    fail(std::string(optimizer) + " was given " + what + " = " + exact_text(value) +
         ", expected a finite number of at least 0; correct that option");
}

SINTER_FUNCTION void require_below_one(const char* optimizer, const char* what, double value) {
  if (!(value >= 0 && value < 1))
    fail(std::string(optimizer) + " was given " + what + " = " + exact_text(value) +
         ", expected at least 0 and less than 1; correct that option");
}

SINTER_FUNCTION void require_fraction(const char* optimizer, const char* what, double value) {
  if (!(value >= 0 && value <= 1))
    fail(std::string(optimizer) + " was given " + what + " = " + exact_text(value) +
         ", expected a number from 0 to 1; correct that option");
}

SINTER_FUNCTION void require_above_zero(const char* optimizer, const char* what, double value) {
  if (!(value > 0 && value <= 1.7976931348623157e308))
    fail(std::string(optimizer) + " was given " + what + " = " + exact_text(value) +
         ", expected a finite number above 0; correct that option");
}

SINTER_FUNCTION void require_count(const char* optimizer, const char* what, long value) {
  if (value < 1)
    fail([&] {
      return std::string(optimizer) + " was given " + what + " = " + std::to_string(value) +
             ", expected 1 or more; correct that option";
    });
}

}  // namespace detail

SINTER_NAMESPACE_END
