// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>

#include "sinter/core/number_text.hpp"
#include "sinter/optimizer/apply.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

template <class Number>
[[noreturn]] SINTER_COLD void refuse_option(const char* optimizer, const char* what, Number value,
                                            const char* expected) {
  fail([&] {
    std::string text = std::string(optimizer) + " was given " + what + " = ";
    if constexpr (std::integral<Number>)
      text += std::to_string(value);
    else
      text += exact_text(value);
    return text + ", expected " + expected + "; correct that option";
  });
}

SINTER_FUNCTION void require_at_least_zero(const char* optimizer, const char* what, double value) {
  if (!(value >= 0 && value <= 1.7976931348623157e308))
    refuse_option(optimizer, what, value, "a finite number of at least 0");
}

SINTER_FUNCTION void require_below_one(const char* optimizer, const char* what, double value) {
  if (!(value >= 0 && value < 1)) refuse_option(optimizer, what, value, "at least 0 and less than 1");
}

SINTER_FUNCTION void require_fraction(const char* optimizer, const char* what, double value) {
  if (!(value >= 0 && value <= 1)) refuse_option(optimizer, what, value, "a number from 0 to 1");
}

SINTER_FUNCTION void require_above_zero(const char* optimizer, const char* what, double value) {
  if (!(value >= 1e-30 && value <= 1.7976931348623157e308))
    refuse_option(optimizer, what, value, "a finite number above 0, of 1e-30 or more");
}

SINTER_FUNCTION void fail_rate(const char* schedule, double lr) {
  refuse_option(schedule, "the learning rate lr", lr, "at least 0");
}

SINTER_FUNCTION void fail_time(const char* schedule, long t) {
  fail([&] {
    return std::string(schedule) + " was asked for the rate at time " + std::to_string(t) +
           ", expected 0 or more; count steps or epochs from 0";
  });
}

SINTER_FUNCTION void require_count(const char* optimizer, const char* what, long value) {
  if (value < 1) refuse_option(optimizer, what, value, "1 or more");
}

}  // namespace detail

SINTER_NAMESPACE_END
