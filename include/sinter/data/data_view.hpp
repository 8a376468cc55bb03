// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>

#include "sinter/core/error.hpp"
#include "sinter/data/dataset_concept.hpp"
#include "sinter/data/normalize.hpp"

SINTER_NAMESPACE_BEGIN

/// A dataset in memory owned elsewhere. Made by dataset() and subset().
template <InputRows Inputs, class Targets, class Weights = NoWeights>
  requires Labels<Targets> || TargetRows<Targets>
class DataView {
 public:
  /// Fails unless there are as many targets as rows, and as many weights where there are some.
  DataView(Inputs inputs, Targets targets, Normalize normalize = {}, Weights weights = {})
      : inputs_(inputs), targets_(targets), normalize_(normalize), weights_(weights) {
    if constexpr (RowWeights<Weights>)
      if (inputs.rows != weights.size())
        fail("a dataset of " + std::to_string(inputs.rows) + " rows was given " + std::to_string(weights.size()) +
             " weights; pass one for each row");
    if (inputs.rows != rows_in(targets))
      fail("a dataset of " + std::to_string(inputs.rows) + " rows was given " + std::to_string(rows_in(targets)) +
           (Labels<Targets> ? " labels" : " target rows") + "; pass one for each row");
  }
  const Inputs& inputs() const { return inputs_; }
  const Targets& targets() const { return targets_; }
  std::size_t size() const { return inputs_.rows; }
  Normalize normalize() const { return normalize_; }
  Weights weights() const { return weights_; }

 private:
  Inputs inputs_;
  Targets targets_;
  Normalize normalize_;
  [[no_unique_address]] Weights weights_;
};

namespace detail {
template <class D>
inline constexpr bool is_view_of_data = false;
template <class Inputs, class Targets, class Weights>
inline constexpr bool is_view_of_data<DataView<Inputs, Targets, Weights>> = true;
}  // namespace detail

SINTER_NAMESPACE_END

namespace sinter {
using internal::DataView;
}  // namespace sinter
