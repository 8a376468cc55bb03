// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/data/check.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION void fail_label(std::size_t row, const std::string& what, const std::string& label, int classes) {
  fail("row " + std::to_string(row) + " of " + what + " is " + label + ", expected 0 to " +
       std::to_string(classes - 1) + "; number the classes from 0, or give the network an output for each");
}

SINTER_FUNCTION void fail_counts(std::size_t rows, std::size_t inputs, std::size_t targets) {
  fail("a dataset says that it has " + std::to_string(rows) + " rows, and has " + std::to_string(inputs) +
       " inputs and " + std::to_string(targets) + " targets; make the three equal");
}

SINTER_FUNCTION void fail_number(std::size_t row, const std::string& place, const std::string& what, double value,
                                 double largest) {
  fail("row " + std::to_string(row) + ", " + place + " of " + what + " is " + exact_text(value) + ", expected a " +
       (is_finite(value) ? "number of at most " + exact_text(largest) + " in size, which the network can hold; scale it"
                         : std::string("finite number; remove the row or fill the gap")));
}

SINTER_FUNCTION std::string place_text(Dims dims, int channel, int y, int x) {
  if (dims.rank == 1) return "feature " + std::to_string(channel);
  if (dims.rank == 2) return "channel " + std::to_string(channel) + ", place " + std::to_string(x);
  return "channel " + std::to_string(channel) + ", pixel (" + std::to_string(y) + ", " + std::to_string(x) + ")";
}

SINTER_FUNCTION void check_pointer(const void* data, std::size_t rows, const char* what) {
  if (data == nullptr && rows > 0)
    fail(std::string(what) + " have " + std::to_string(rows) +
         " rows at a null pointer; give the address of the first number");
}

}  // namespace detail

SINTER_NAMESPACE_END
