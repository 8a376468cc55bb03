// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>

#include "sinter/core/error.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/data/fold.hpp"
#include "sinter/device/engine.hpp"
#include "sinter/model/program.hpp"

SINTER_NAMESPACE_BEGIN

/// How the rows of a dataset belong together in evaluate(), score() and predict(): .chunks consecutive rows are one
/// sequence, and recurrent layers carry their states from each row to the next, as in fit().
struct EvaluateOptions {
  std::size_t chunks = 1;  ///< of a sequence
};

namespace detail {

[[noreturn]] SINTER_COLD void fail_carried(const std::string& given, const std::string& why);
/// Fails if a network has no states to carry; `given` says what asks for that.
template <class Net>
void check_carried(const std::string& given) {
  using Ops = typename Net::Ops;
  if constexpr (!carries_states<typename Net::Engine>)
    fail_carried(given, "the network runs neither on Host, with or without ranks, nor on one GPU");
  bool any = false;
  for (const Op& op : Ops::ops) {
    any = any || op.kind == OpKind::recurrence;
    if (op.kind == OpKind::recurrence && op.directions > 1)
      fail_carried(given, "layer " + std::to_string(op.layer) + " (" + op.name +
                              ") is Bidirectional, and its second cell begins at the end of a sequence");
  }
  if (!any) fail_carried(given, "the network has no RNN, GRU or LSTM");
}

/// Fails if this number of rows is not a number of whole sequences.
SINTER_COLD void check_sequences(std::size_t rows, std::size_t chunks, const char* who);
/// The same for training data, and for their batches.
SINTER_COLD void check_chunks(std::size_t rows, std::size_t batch_size, const Fold& held_out, std::size_t chunks);
[[noreturn]] SINTER_COLD void fail_chunks_of_files(const char* who, std::size_t chunks);
template <class Net>
void check_chunks_of(std::size_t rows, std::size_t chunks, const char* who) {
  check_sequences(rows, chunks, who);
  if (chunks > 1) check_carried<Net>(std::string(who) + " was given .chunks = " + std::to_string(chunks));
}

}  // namespace detail

SINTER_NAMESPACE_END

namespace sinter {
using internal::EvaluateOptions;
}  // namespace sinter

#if SINTER_BODIES
#include "sinter/train/chunks.ipp"
#endif
