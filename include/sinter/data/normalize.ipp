// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/error.hpp"
#include "sinter/core/number_text.hpp"
#include "sinter/core/text.hpp"
#include "sinter/data/normalize.hpp"

SINTER_NAMESPACE_BEGIN

SINTER_FUNCTION void Normalize::fail_deviation([[maybe_unused]] const char* function, [[maybe_unused]] float mean,
                                               [[maybe_unused]] float deviation) {
  fail([&] {
    return joined(
        {function, " was given the mean ", exact_text(mean), " and the deviation ", exact_text(deviation),
         ", expected finite numbers, and a deviation above 0, neither tiny nor huge; take those of the training "
         "data"});
  });
}

SINTER_FUNCTION std::string Normalize::problem() const {
  return joined({"inputs were to be scaled by Normalize{.scale = ", exact_text(scale), ", .shift = ", exact_text(shift),
                 "}, expected finite numbers, and a scale other than 0; Normalize::pixels and Normalize::values make "
                 "it of a mean and a deviation"});
}

SINTER_FUNCTION void Normalize::fail_numbers() const {
  fail([this] { return problem(); });
}

SINTER_FUNCTION void Normalize::fail_overflow([[maybe_unused]] std::uint64_t most) const {
  fail([&] {
    return joined({"integers up to ", most, " were to be scaled by Normalize{.scale = ", exact_text(scale),
                   ", .shift = ", exact_text(shift),
                   "}, expected numbers that a float can hold; Normalize::pixels and "
                   "Normalize::values make it of a mean and a deviation"});
  });
}

SINTER_NAMESPACE_END
