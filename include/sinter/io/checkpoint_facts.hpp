// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/core/named_options.hpp"
#include "sinter/core/text.hpp"
#include "sinter/io/json_reader.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// It is increased when the steps after a checkpoint would have other bits. In version 1, which stores no number, the
/// gradients of a batch were added in another order.
inline constexpr unsigned checkpoint_version = 2;

/// What a checkpoint stores of a training besides tensors.
struct CheckpointFacts {
  std::string optimizer;
  std::uint64_t model = 0;  // its fingerprint
  std::uint64_t seed = 0, steps = 0, attempts = 0;
  double rate = 0;
  std::vector<double> factors;
  NamedOptions options, callback_options;
};

SINTER_COLD std::string json_object_of(const NamedOptions& options);
SINTER_COLD std::string checkpoint_text(const CheckpointFacts& facts);
SINTER_COLD CheckpointFacts parse_checkpoint_text(std::string_view text, std::string_view file);

}  // namespace detail

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/io/checkpoint_facts.ipp"
#endif
