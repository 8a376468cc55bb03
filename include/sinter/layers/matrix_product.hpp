// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/finite.hpp"
#include "sinter/layers/options.hpp"
#include "sinter/layers/path.hpp"
#include "sinter/ops/matrix_product.hpp"

SINTER_NAMESPACE_BEGIN

namespace needs {
struct two_branches_that_end_in_series_or_images_whose_matrices_can_be_multiplied;
}  // namespace needs

namespace layer_option {
struct TransposeFirstTag {};
struct TransposeSecondTag {};
struct FactorTag {
  double value;
};
}  // namespace layer_option
/// A MatrixProduct transposes the matrices of its first branch.
inline constexpr layer_option::TransposeFirstTag TransposeFirst{};
/// A MatrixProduct transposes the matrices of its second branch.
inline constexpr layer_option::TransposeSecondTag TransposeSecond{};
/// What a MatrixProduct multiplies its numbers by.
template <auto Value>
inline constexpr layer_option::FactorTag Factor{static_cast<double>(Value)};

/// y = factor a(x) b(x), a product of matrices, as torch.matmul: of [B, T, F] one for each row, of [B, C, H, W] one for
/// each channel. The columns of a(x) are as many as the rows of b(x).   a [B, C, M, K]  b [B, C, K, N]  y [B, C, M, N]
///     MatrixProduct<Path<>, Path<>, TransposeSecond>     // how similar the steps of a sequence are: [B, T, T]
/// Options: TransposeFirst, TransposeSecond, Factor<1>, and Causal: numbers right of the diagonal are -infinity, which
/// a softmax makes 0. Parameters are named by branch, as a Product's: "0.0.weight", "1.0.weight", ..
/// Cost 2 B C M K N flops forward, twice that backward.
template <class GivenFirst, class GivenSecond, auto... Options>
struct MatrixProduct {
  using First = detail::chain_of<GivenFirst>;
  using Second = detail::chain_of<GivenSecond>;
  static constexpr const char* name = "MatrixProduct";
  using Needs = needs::two_branches_that_end_in_series_or_images_whose_matrices_can_be_multiplied;
  using Parts = TypeList<First, Second>;

 private:
  static constexpr double factor = layer_option::get<layer_option::FactorTag>({1}, Options...).value;
  using Multiply = MultiplyMatrices<(layer_option::count<layer_option::TransposeFirstTag>(Options...) > 0),
                                    (layer_option::count<layer_option::TransposeSecondTag>(Options...) > 0), factor,
                                    (layer_option::count<layer_option::CausalTag>(Options...) > 0)>;

 public:
  using Ops = concatenate<typename First::Ops, typename Second::Ops, OpList<Multiply>>;
  static constexpr bool accepts(Dims in) {
    return First::accepts(in) && Second::accepts(in) && Multiply::accepts(First::output(in), Second::output(in));
  }
  static constexpr Dims output(Dims in) { return Multiply::describe(First::output(in), Second::output(in)).out; }
  template <class Builder, class Wire>
  static constexpr Wire build(Builder& to, Wire x) {
    const Wire a = to.template child<First>(0, x);
    return to.template op<Multiply>(a, to.template child<Second>(1, x));
  }

  static constexpr bool chains = detail::is_chain<GivenFirst> && detail::is_chain<GivenSecond>;
  static constexpr bool known = layer_option::only<layer_option::TransposeFirstTag, layer_option::TransposeSecondTag,
                                                   layer_option::FactorTag, layer_option::CausalTag>(Options...);
  static constexpr bool not_zero = factor != 0 && is_finite_constant(factor);
  static constexpr bool valid = chains && known && not_zero;
  static constexpr bool check() {
    static_assert(chains,
                  "sinter: a MatrixProduct takes its layers in Paths: MatrixProduct<Path<Conv1d<8, 1>>, Path<>>");
    static_assert(known, "sinter: MatrixProduct takes TransposeFirst, TransposeSecond, Factor and Causal, each once");
    static_assert(not_zero, "sinter: the Factor of a MatrixProduct is a finite number other than 0");
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
namespace needs = internal::needs;
using internal::Factor;
using internal::MatrixProduct;
using internal::TransposeFirst;
using internal::TransposeSecond;
}  // namespace sinter
