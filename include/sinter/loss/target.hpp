// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>

#include "sinter/core/of_library.hpp"
#include "sinter/core/shape.hpp"

SINTER_NAMESPACE_BEGIN

/// What a loss compares a row of outputs with, as `Loss::Target`: the number of a class, held in a floating value, or a
/// row of numbers, as many as the outputs unless `static constexpr int target_size` of the loss says fewer.
struct ClassTarget {};
struct RowTarget {};

/// How many outputs of a row a loss reads, if it says so by `static constexpr int outputs` (or of another integral type
/// or an enum); else 0: all of them.
template <class Loss>
inline constexpr int outputs_read = [] {
  if constexpr (requires { typename std::integral_constant<int, static_cast<int>(Loss::outputs)>; })
    return static_cast<int>(Loss::outputs);
  else
    return 0;
}();

/// How many numbers a loss compares a row of outputs with.
template <class Loss>
SINTER_HOST_DEVICE constexpr int target_size([[maybe_unused]] int outputs) {
  if constexpr (requires { Loss::target_size; })
    return Loss::target_size;
  else
    return outputs;
}

namespace detail {
/// A loss that takes the label of each position from a row of targets.
template <class Loss>
concept LabelsPositions = requires { Loss::classes_of_position; };

template <class Loss, class OutputRow>
struct TargetRow {
  using Type = OutputRow;
};
template <class Loss, class OutputRow>
  requires requires { Loss::target_size; }
struct TargetRow<Loss, OutputRow> {
  using Type = Shape<Loss::target_size>;
};
}  // namespace detail
/// The shape of the rows that a loss compares rows of outputs with.
template <class Loss, class OutputRow>
using target_row = typename detail::TargetRow<Loss, OutputRow>::Type;

SINTER_NAMESPACE_END

namespace sinter {
using internal::ClassTarget;
using internal::RowTarget;
}  // namespace sinter
