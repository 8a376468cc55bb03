// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sinter/core/macros.hpp"
#include "sinter/data/fold.hpp"

SINTER_NAMESPACE_BEGIN

/// The keys of an epoch's order and masks, and the rows it leaves out.
struct EpochOrder {
  std::uint64_t seed = 0;
  std::uint32_t epoch = 0;
  bool shuffle = true;
  Fold held_out{};
  std::size_t chunks = 1;     // of a sequence, rows that follow one another; a batch has one of each sequence
  std::size_t sequences = 1;  // of a batch, where there are chunks
  friend constexpr bool operator==(const EpochOrder&, const EpochOrder&) = default;
};

/// Whether the step that begins with row `first` of the order has the first chunks of its sequences.
constexpr bool begins_sequences(const EpochOrder& order, std::size_t first) {
  return first / order.sequences % order.chunks == 0;
}

/// How many of `size` rows are forwarded in one call at most: whole sequences of `chunks` rows.
constexpr std::size_t rows_of_call(std::size_t size, std::size_t chunks) {
  constexpr std::size_t most = 16384;
  const std::size_t wanted = chunks * (chunks < most ? most / chunks : 1);
  return size < wanted ? size : wanted;
}

/// Some steps of one of many networks that are trained side by side.
template <class T, class Optimizer>
struct MemberSteps {
  T *parameters, *gradient;
  Optimizer optimizer;
  EpochOrder order;         // of the first epoch
  std::size_t first = 0;    // steps of it that are done
  std::size_t count = 0;    // to make
  std::size_t updates = 0;  // made so far
};
/// Steps to make on a dataset that is kept: `count` of `batch` rows, from row `first` of an epoch's order on, into the
/// next epochs.
struct StepsWanted {
  EpochOrder order;
  std::size_t first, batch, count;
};
/// The outcome of some steps: how many were applied, and the sums of the losses of those and of the one that was not;
/// as long as no more are made. A step has `loss_sums` of them: of the loss, and of each of its heads.
struct StepsDone {
  std::span<const double> losses;
  std::size_t applied = 0;
};
/// A network, and the rows of a dataset that it is evaluated by.
template <class T>
struct EvaluatedRows {
  const T* parameters;
  Fold rows;
};

SINTER_NAMESPACE_END
