// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/ops/op.hpp"

SINTER_NAMESPACE_BEGIN

/// y = the channels (or features) of all inputs, one input after another. Adjoint: each input gets its part of dy.
struct Concatenate {
  template <class... Others>
  static constexpr Op describe(Dims first, Others... others) {
    Op op;
    op.kind = OpKind::concat;
    op.name = "concat";
    op.in = op.out = first;
    op.out.channels = 0;
    int k = 0;
    for (const Dims dims : {first, others...}) op.out.channels += op.channels[k++] = dims.channels;
    return op;
  }
};

SINTER_NAMESPACE_END

namespace sinter::ops {
using internal::Concatenate;
}  // namespace sinter::ops
