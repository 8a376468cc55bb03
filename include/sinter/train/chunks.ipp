// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "sinter/train/chunks.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION void check_carried(std::span<const Op> ops, bool carries, const char* who, std::size_t chunks) {
  const auto fail_with = [&](const std::string& why) {
    const std::string given = chunks > 0 ? " was given .chunks = " + std::to_string(chunks) : "";
    fail(who + given + ", which carries the states of recurrent layers, and " + why + "; leave it out");
  };
  if (!carries) fail_with("the network runs neither on Host, with or without ranks, nor on one GPU");
  bool any = false;
  for (const Op& op : ops) {
    any = any || op.kind == OpKind::recurrence;
    if (op.kind == OpKind::recurrence && op.directions > 1)
      fail_with("layer " + std::to_string(op.layer) + " (" + op.name +
                ") is Bidirectional, and its second cell begins at the end of a sequence");
  }
  if (!any) fail_with("the network has no RNN, GRU or LSTM");
}

SINTER_FUNCTION void fail_chunks_of_files(const char* who, std::size_t chunks) {
  fail(std::string(who) + " was given .chunks = " + std::to_string(chunks) +
       " and files; sequences in chunks are read from memory: load the files into a dataset");
}

SINTER_FUNCTION void check_sequences(std::size_t rows, std::size_t chunks, const char* who) {
  if (chunks == 0) fail(std::string(who) + " was given .chunks = 0; give it the rows of a sequence, 1 or more");
  if (rows % chunks != 0)
    fail(std::string(who) + " was given .chunks = " + std::to_string(chunks) + " and " + std::to_string(rows) +
         " rows; give it whole sequences, a multiple of that many rows");
}

SINTER_FUNCTION void check_chunks(std::size_t rows, std::size_t batch_size, const Fold& held_out, std::size_t chunks) {
  check_sequences(rows, chunks, "fit");
  const std::string given = "fit was given .chunks = " + std::to_string(chunks);
  if (held_out.first % chunks != 0 || held_out.count % chunks != 0)
    fail(given + ", and asked to hold out " + std::to_string(held_out.count) + " rows from row " +
         std::to_string(held_out.first) + "; hold out whole sequences, multiples of that many rows");
  const std::size_t sequences = (rows - held_out.count) / chunks;
  if (chunks > 1 && sequences % batch_size != 0)
    fail(given + " and " + std::to_string(sequences) + " sequences, in batches of " + std::to_string(batch_size) +
         "; give it a batch_size that divides them");
}

}  // namespace detail

SINTER_NAMESPACE_END
