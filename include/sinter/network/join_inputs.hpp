// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>

#include "sinter/core/error.hpp"
#include "sinter/core/tensor.hpp"
#include "sinter/network/given_inputs.hpp"

SINTER_NAMESPACE_BEGIN

/// Rows for a network with several inputs, made of rows for each: in their order, or by name. A copy, for datasets,
/// fit, Trainer and predict; Net is a model or a Network. Fails if numbers of rows differ.
///     const auto x = join_inputs<Net>(pictures, numbers);
///     const auto same = join_inputs<Net>(named<"numbers">(numbers), named<"picture">(pictures));
template <class Net, class... Given, class Distinct = detail::DistinctOf<Net>>
auto join_inputs(const Given&... given) {
  using Row = typename detail::InputsOf<Net>::Shape;
  using T = typename detail::ModelAndScalar<Net>::Scalar;
  if constexpr (detail::check_given<Distinct, int{sizeof...(Given)}, Given...>()) {
    const auto joined = detail::GivenFor<Distinct, int{sizeof...(Given)}, Given...>::joined(std::tie(given...));
    if (!joined.aligned()) fail(joined.problem());
    return detail::copied<T>(joined);
  } else {
    return Tensor<T, Row>();
  }
}

/// One of several inputs in rows of all of them, as a view: input_of<Net, "picture">(x), also of the gradient with
/// respect to x. `x` must outlive it.
template <class Net, NameOrNumber Which, class T, class S, class Memory, class Distinct = detail::DistinctOf<Net>>
auto input_of(const TensorView<T, S, Memory>& x) {
  using From = detail::InputsOf<Net>;
  constexpr bool several = From::input_count >= 2;
  static_assert(several, "sinter: this network has one input");
  if constexpr (several) {
    using Taken = TakeInput<From, Which>;
    static_assert(has_rows_of<TensorView<T, S, Memory>, typename From::Shape>,
                  "sinter: the rows do not have the shape of the network's Inputs: see has_rows_of<given, needed>");
    static_assert(is_one_of<Which, typename From::Names>,
                  "sinter: the network has no input of that name or number: see is_one_of<given, inputs>");
    constexpr RowPart part = Taken::part();
    constexpr Dims d = part.dims;
    return TensorView<T, shape_of<d>, Memory>{x.data + part.first * x.channel_stride,
                                              x.rows,
                                              x.row_stride,
                                              x.channel_stride * d.pixels(),
                                              x.channel_stride * d.width,
                                              x.channel_stride};
  }
}
/// The same for a tensor.
template <class Net, NameOrNumber Which, class T, class S, class Distinct = detail::DistinctOf<Net>>
auto input_of(Tensor<T, S>& x) {
  return input_of<Distinct, Which>(x.view());
}
/// The same for a constant tensor.
template <class Net, NameOrNumber Which, class T, class S, class Distinct = detail::DistinctOf<Net>>
auto input_of(const Tensor<T, S>& x) {
  return input_of<Distinct, Which>(x.view());
}
/// For a temporary: refused with a message.
template <class Net, NameOrNumber Which, class T, class S>
void input_of(const Tensor<T, S>&&) {
  static_assert(std::is_void_v<T>,
                "sinter: input_of() only views the rows, and a temporary would be gone; give it a name first");
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::input_of;
using internal::join_inputs;
}  // namespace sinter
