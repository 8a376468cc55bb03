// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

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

/// Fails if a network has no states to carry; `who` asks for that, by so many `chunks` if there are any.
SINTER_COLD void check_carried(std::span<const Op> ops, bool carries, const char* who, std::size_t chunks);
template <class Net>
void check_carried(const char* who, std::size_t chunks = 0) {
  check_carried(Net::Ops::ops, carries_states<typename Net::Engine>, who, chunks);
}

/// Fails if this number of rows is not a number of whole sequences.
SINTER_COLD void check_sequences(std::size_t rows, std::size_t chunks, const char* who);
/// The same for training data, and for their batches.
SINTER_COLD void check_chunks(std::size_t rows, std::size_t batch_size, const Fold& held_out, std::size_t chunks);
[[noreturn]] SINTER_COLD void fail_chunks_of_files(const char* who, std::size_t chunks);
template <class Net>
void check_chunks_of(std::size_t rows, std::size_t chunks, const char* who) {
  check_sequences(rows, chunks, who);
  if (chunks > 1) check_carried<Net>(who, chunks);
}

}  // namespace detail

SINTER_NAMESPACE_END

namespace sinter {
using internal::EvaluateOptions;
}  // namespace sinter

#if SINTER_BODIES
#include "sinter/train/chunks.ipp"
#endif
