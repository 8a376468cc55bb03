// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// A training that is about to begin.
struct TrainingInfo {
  int epochs = 0;           ///< the number of the last one
  std::size_t samples = 0;  ///< in an epoch
  std::size_t batch_size = 0;
  std::string device = {};     ///< its name
  std::size_t parameters = 0;  ///< trained numbers
  std::uint64_t seed = 0;
  std::string note = {};   ///< a note for the user, or empty
  std::size_t heads = 0;   ///< whose losses are recorded one by one
  bool validates = false;  ///< whether each epoch is evaluated on other rows
};

/// The progress of fit() after a batch.
struct BatchInfo {
  int epoch = 0;                                    ///< from 1, those before `first_epoch` counted
  int epochs = 0;                                   ///< the number of the last one
  std::size_t samples_done = 0, samples_total = 0;  ///< in this epoch
  double loss = 0;                                  ///< mean over the rows of this epoch so far
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::BatchInfo;
using internal::TrainingInfo;
}  // namespace sinter
