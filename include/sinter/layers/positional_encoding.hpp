// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/fn/positional_encoding.hpp"
#include "sinter/layers/layer.hpp"
#include "sinter/ops/map.hpp"

SINTER_NAMESPACE_BEGIN

namespace needs {
struct a_sequence_of_steps_and_features;
}  // namespace needs

/// y[t][k] = x[t][k] + sin(t / 10000^(k / Size)) for an even k, + cos(t / 10000^((k - 1) / Size)) for an odd one, so
/// that attention knows the order of the steps of a sequence: no parameters. Vaswani et al. 2017, section 3.5.
/// x [B, Steps, Size]  y [B, Steps, Size]
struct PositionalEncoding {
  static constexpr const char* name = "PositionalEncoding";
  using Needs = needs::a_sequence_of_steps_and_features;
  using Ops = OpList<Map<fn::PositionalEncoding>>;
  static constexpr bool accepts(Dims in) { return in.rank == 2; }
};

SINTER_NAMESPACE_END

namespace sinter {
namespace needs = internal::needs;
using internal::PositionalEncoding;
}  // namespace sinter
