// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <utility>

#include "sinter/data/dataset.hpp"

SINTER_NAMESPACE_BEGIN

/// A dataset whose rows change in each epoch: `data.epoch(e)` makes those of epoch e, a dataset of as many rows
/// with inputs and targets of the same types, which depend only on e. fit() requests them before each epoch; everything
/// else reads `inputs()`, the rows as they are. If there is also `data.epoch(e, rows)`, a rank of several asks for the
/// rows that it trains on, a span of std::uint32_t.
template <class D>
concept ChangesByEpoch = Dataset<D> && requires(const D& data) {
  requires std::same_as<inputs_of<decltype(data.epoch(std::uint32_t{}))>, inputs_of<D>>;
  requires std::same_as<targets_of<decltype(data.epoch(std::uint32_t{}))>, targets_of<D>>;
};

SINTER_NAMESPACE_END
