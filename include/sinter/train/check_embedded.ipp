// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/number_text.hpp"
#include "sinter/train/check_embedded.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION void fail_embedded(std::size_t row, const std::string& place, double value, int count, int layer) {
  fail("row " + std::to_string(row) + ", " + place + " of the inputs is " + exact_text(value) + ", expected 0 to " +
       std::to_string(count - 1) + " for the Embedding of layer " + std::to_string(layer) +
       "; number the categories from 0, in whole numbers, or give the Embedding more rows");
}

SINTER_FUNCTION void fail_length(std::size_t row, const std::string& place, double value, const char* name, int most,
                                 int layer) {
  fail("row " + std::to_string(row) + ", " + place + " of the inputs is " + exact_text(value) +
       ", expected a length of 1 to " + std::to_string(most) + " for the " + name + " of layer " +
       std::to_string(layer) + "; give each row the number of its steps, and leave out empty ones");
}

}  // namespace detail

SINTER_NAMESPACE_END
