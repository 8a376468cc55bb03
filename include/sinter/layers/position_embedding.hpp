// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/fn/one.hpp"
#include "sinter/layers/layer.hpp"
#include "sinter/ops/add.hpp"
#include "sinter/ops/index_map.hpp"
#include "sinter/ops/map.hpp"
#include "sinter/ops/product.hpp"

SINTER_NAMESPACE_BEGIN

namespace needs {
struct a_sequence_of_these_steps_and_features;
}  // namespace needs

namespace detail {
/// The first number of a sample, replaced by 1: a product with it gives the same learned vector for any sample.
struct FirstNumber {
  static constexpr const char* name = "first number";
  static constexpr IndexMap indices(Dims in) {
    IndexMap map = unchanged(in);
    for (int axis = 0; axis < 3; ++axis) map.factor[axis].out = 1;
    map.rank = 1;
    return map;
  }
};
using One = Map<fn::One>;
/// W, for an input of 1.   W [Steps, Size]
template <int Steps, int Size>
struct Table : MatMul<static_cast<int>(static_cast<long long>(Steps) * Size), false> {
  template <class Builder>
  static constexpr void declare(Op& op, Builder& to) {
    op.weight = to.parameter({.name = "weight",
                              .shape = {Steps, Size},
                              .rank = 2,
                              .fan_in = Steps,
                              .fan_out = Size,
                              .start = Start::normal});
  }
};
}  // namespace detail

/// y = x + W: a learned vector for each step of a sequence, added to it, so that attention knows their order.
/// x [B, Steps, Size]  weight [Steps, Size]. Starts as N(0, 1), as the weight of torch.nn.Embedding(Steps, Size).
template <int Steps, int Size>
struct PositionEmbedding {
  static constexpr const char* name = "PositionEmbedding";
  using Needs = needs::a_sequence_of_these_steps_and_features;

 private:
  using First = MapIndices<detail::FirstNumber>;
  using Table = detail::Table<Steps, Size>;

 public:
  using Ops = OpList<First, detail::One, Table, Add>;
  static constexpr bool accepts(Dims in) { return in == series(Steps, Size); }
  static constexpr Dims output(Dims in) { return in; }
  template <class Builder, class Wire>
  static constexpr Wire build(Builder& to, Wire x) {
    Wire table = to.template op<Table>(to.template op<detail::One>(to.template op<First>(x)));
    table.dims = x.dims;
    return to.template op<Add>(table, x);
  }
  static constexpr bool valid = Steps > 0 && Size > 0;
  static constexpr bool check() {
    static_assert(valid, "sinter: PositionEmbedding<steps, features> needs one of each or more");
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
namespace needs = internal::needs;
using internal::PositionEmbedding;
}  // namespace sinter
