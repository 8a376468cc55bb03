// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/pack.hpp"
#include "sinter/ops/op.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
constexpr Op elementwise(const char* name, const char* onnx, Dims a) {
  Op op;
  op.kind = OpKind::elementwise;
  op.name = name;
  op.onnx = onnx;
  op.in = op.out = a;
  return op;
}
}  // namespace detail

// y = f(a, b), element by element, on all devices: forward(a, b) is y, and backward(a, b, dy, da, db) sets da and db.
// V is a number or a pack of them.

/// y = a b. Adjoint: da = b dy, db = a dy.
struct Multiply {
  static constexpr Op describe(Dims a, Dims) {
    Op op = detail::elementwise("multiply", "Mul", a);
    op.multiplies = true;
    return op;
  }
  template <class V>
  SINTER_FN static V forward(V a, V b) {
    return fn::product(a, b);
  }
  template <class V>
  SINTER_FN static void backward(V a, V b, V dy, V& da, V& db) {
    da = fn::product(b, dy);
    db = fn::product(a, dy);
  }
};

/// y = the larger of a and b; NaN if one of them is. Adjoint: the larger one takes dy, half of it each where they are
/// equal, as in PyTorch.
struct Larger {
  static constexpr Op describe(Dims a, Dims) { return detail::elementwise("maximum", "Max", a); }
  template <class V>
  SINTER_FN static V forward(V a, V b) {
    return fn::select(b <= a, a, fn::select(a < b, b, a + b));
  }
  template <class V>
  SINTER_FN static void backward(V a, V b, V dy, V& da, V& db) {
    const V half = fn::product(dy, V(static_cast<scalar_of<V>>(0.5)));
    da = fn::select(b < a, dy, fn::select(a < b, V(0), half));
    db = fn::select(a < b, dy, fn::select(b < a, V(0), half));
  }
};

SINTER_NAMESPACE_END

namespace sinter::ops {
using internal::Larger;
using internal::Multiply;
}  // namespace sinter::ops
