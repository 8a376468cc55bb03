// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/fn/log_softmax.hpp"
#include "sinter/fn/relu.hpp"
#include "sinter/fn/sigmoid.hpp"
#include "sinter/fn/softmax.hpp"
#include "sinter/fn/tanh.hpp"
#include "sinter/layers/layer.hpp"
#include "sinter/ops/map.hpp"
#include "sinter/ops/row.hpp"

SINTER_NAMESPACE_BEGIN

/// y = F(x), element by element, for any functor F with `forward` and `backward` (see fn/relu.hpp): a new activation
/// is one functor, and fuses on every device in both directions.
template <class F>
struct Activation {
  static constexpr const char* name = fn::name_of<F>;
  using Needs = needs::any_shape;
  using Ops = OpList<Map<F>>;
  static constexpr bool accepts(Dims) { return true; }
};
using ReLU = Activation<fn::Relu>;
using Tanh = Activation<fn::Tanh>;
using Sigmoid = Activation<fn::Sigmoid>;

/// y = F(x) over the features of a row.   x [B, N]  y [B, N]
template <class F>
struct RowActivation {
  static constexpr const char* name = fn::name_of<F>;
  using Needs = needs::rows_of_features_put_Flatten_before_it;
  using Ops = OpList<Row<F>>;
  static constexpr bool accepts(Dims in) { return in.rank == 1; }
};
using Softmax = RowActivation<fn::Softmax>;
using LogSoftmax = RowActivation<fn::LogSoftmax>;

SINTER_NAMESPACE_END
