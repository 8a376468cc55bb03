// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>

#include "sinter/data/dataset.hpp"
#include "sinter/loss/target.hpp"

SINTER_NAMESPACE_BEGIN

/// Whether a network reads rows of such a view. If not, compilation ends here, in words.
template <class Net, class View>
constexpr bool check_inputs() {
  using Needed = typename Net::InputRow;
  constexpr bool rows = has_shape<View>;
  static_assert(
      rows,
      "sinter: inputs come as a Tensor, or as a TensorView on numbers of yours, which say the shape of a row: "
      "TensorView<const float, Shape<..>>::from(numbers)");
  if constexpr (rows)
    static_assert(
        has_rows_of<View, Needed>,
        "sinter: the rows given do not have the shape of the network's Input: see has_rows_of<given, needed>");
  return has_rows_of<View, Needed>;
}

/// Whether a network reads the rows of a dataset.
template <class Net, Dataset D>
constexpr bool check_data() {
  constexpr bool scaled = says_scale<D>;
  static_assert(scaled,
                "sinter: bytes need a scale: give the dataset a normalize() that returns Normalize::pixels(mean, "
                "deviation)");
  return check_inputs<Net, inputs_of<D>>() && scaled;
}

/// Whether a loss compares the outputs of a network with such targets: a span of labels, or a view of rows.
template <class Net, class Loss, class Targets>
constexpr bool check_targets() {
  if constexpr (std::is_same_v<typename Loss::Target, ClassTarget>) {
    constexpr bool labels = Labels<Targets>;
    static_assert(labels, "sinter: this loss compares with class numbers; pass a span of integer labels, not a tensor");
    return labels;
  } else {
    constexpr bool numbers = !Labels<Targets>;
    using Needed = typename Net::OutputRow;
    static_assert(numbers, "sinter: this loss compares with rows of numbers; pass a tensor of targets, not labels");
    if constexpr (numbers)
      static_assert(
          has_rows_of<Targets, Needed>,
          "sinter: the targets do not have the shape of the network's output: see has_rows_of<given, needed>");
    return numbers && has_rows_of<Targets, Needed>;
  }
}

SINTER_NAMESPACE_END
