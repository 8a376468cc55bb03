// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>

#include "sinter/core/error.hpp"
#include "sinter/core/fold.hpp"
#include "sinter/data/check.hpp"
#include "sinter/data/dataset.hpp"

SINTER_NAMESPACE_BEGIN

template <Dataset D>
struct FitOptions {
  std::size_t batch_size = 32;
  int epochs = 1;
  const D* validation = nullptr;  ///< evaluated after each epoch
  Fold held_out{};                ///< rows of the dataset that are not trained on
  bool shuffle = true;            ///< a new order each epoch, keyed by the network's seed and the epoch
  std::size_t interval = 0;       ///< batches between the loss lines of `history.intervals`; 0: none
  int first_epoch = 0;            ///< of the order and the masks: to go on where an earlier call stopped
};

namespace detail {
SINTER_COLD inline void check_fit(std::size_t size, std::size_t batch_size, int epochs) {
  if (size == 0) fail("fit was given a dataset of 0 rows; give it 1 or more");
  if (batch_size == 0) fail("fit was given batch_size = 0; give it 1 or more");
  if (epochs < 0) fail("fit was given epochs = " + std::to_string(epochs) + "; give it 0 or more");
}
SINTER_COLD inline void check_held_out(std::size_t size, const Fold& held_out) {
  if (held_out.first > size || held_out.count > size - held_out.first)
    fail("fit was asked to hold out " + std::to_string(held_out.count) + " rows from row " +
         std::to_string(held_out.first) + " of a dataset of " + std::to_string(size) + " rows; stay within it");
  if (held_out.count == size)
    fail("fit was asked to hold out all " + std::to_string(size) + " rows of its dataset; leave some to train on");
}
/// Sizes, labels and numbers of what a network is to learn from, or to be judged by.
template <class Net, Dataset D>
void check_learnable(const D& data) {
  check_size(data);
  if constexpr (has_labels<D>) check_labels(data.targets(), Net::output_size);
  check_finite(data);
}
}  // namespace detail

SINTER_NAMESPACE_END
