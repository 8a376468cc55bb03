// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/fn/log_softmax.hpp"
#include "sinter/fn/softmax.hpp"
#include "sinter/layers/permute.hpp"
#include "sinter/ops/row.hpp"

SINTER_NAMESPACE_BEGIN

/// y = F(x) over the numbers along a dimension, separately for all others: F is a function of rows. The dimension is
/// moved to the end and back.
template <class F, int Dim>
struct AlongDimension {
  using Needs = needs::dimensions_of_these_numbers;
  using ToEnd = MapIndices<Transpose<Dim, -1>>;
  using Ops = OpList<ToEnd, Row<F, true>, ToEnd>;
  static constexpr bool accepts(Dims in) { return has_dimensions<Dim>(in); }
};

/// e^x / sum e^x along a dimension, as torch.nn.Softmax(dim): 1 are the channels, -1 is the last dimension.
template <int Dim>
struct SoftmaxAlong : AlongDimension<fn::Softmax, Dim> {
  static constexpr const char* name = "SoftmaxAlong";
  static constexpr bool valid = Dim != 0;
  static constexpr bool check() {
    static_assert(valid,
                  "sinter: dimension 0 of a SoftmaxAlong is the batch; 1 are the channels, -1 the last dimension");
    return true;
  }
};
/// x - log sum e^x along a dimension, as torch.nn.LogSoftmax(dim).
template <int Dim>
struct LogSoftmaxAlong : AlongDimension<fn::LogSoftmax, Dim> {
  static constexpr const char* name = "LogSoftmaxAlong";
  static constexpr bool valid = Dim != 0;
  static constexpr bool check() {
    static_assert(valid,
                  "sinter: dimension 0 of a LogSoftmaxAlong is the batch; 1 are the channels, -1 the last dimension");
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::LogSoftmaxAlong;
using internal::SoftmaxAlong;
}  // namespace sinter
