// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "sinter/train/fit_options.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION void check_fit(std::size_t size, std::size_t batch_size, int epochs, int first_epoch) {
  if (size == 0) fail("fit was given a dataset of 0 rows; give it 1 or more");
  if (batch_size == 0) fail("fit was given batch_size = 0; give it 1 or more");
  if (epochs < 0) fail("fit was given epochs = " + std::to_string(epochs) + "; give it 0 or more");
  if (first_epoch == 0 && epochs == 0x7fffffff) fail("fit was given epochs = 2147483647; give it less");
  if (first_epoch < 0 || first_epoch > 0x7ffffffe - epochs)
    fail("fit was given first_epoch = " + std::to_string(first_epoch) +
         "; give it the number of epochs before, 0 or more, which with epochs stays below 2147483647");
}

SINTER_FUNCTION void check_held_out(std::size_t size, const Fold& held_out) {
  if (held_out.first > size || held_out.count > size - held_out.first)
    fail("fit was asked to hold out " + std::to_string(held_out.count) + " rows from row " +
         std::to_string(held_out.first) + " of a dataset of " + std::to_string(size) + " rows; stay within it");
  if (held_out.count == size)
    fail("fit was asked to hold out all " + std::to_string(size) + " rows of its dataset; leave some to train on");
}

SINTER_FUNCTION void check_dropped(std::size_t size, std::size_t batch_size, const char* who) {
  if (size < batch_size)
    fail(std::string(who) + " was asked to drop the last batch of " + std::to_string(size) +
         " rows, and there is no other of batch_size = " + std::to_string(batch_size) +
         "; make batches smaller, or leave out .drop_last");
}

}  // namespace detail

SINTER_NAMESPACE_END
