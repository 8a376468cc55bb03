// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

namespace fn {

/// What kind of numbers a functor makes, as its member `output_kind`, and a loss takes, as its member `takes`:
/// log_probabilities, or numbers that it makes probabilities of itself. Losses refuse kinds that they do not take.
enum class OutputKind : unsigned char {
  unknown,  // a user's functor that does not say: any loss takes its numbers
  as_input,
  numbers,
  sigmoids,  // 1 / (1 + e^-x) of each number
  probabilities,
  log_probabilities
};

template <class F>
inline constexpr OutputKind output_kind_of = [] {
  if constexpr (requires { F::output_kind; })
    return F::output_kind;
  else
    return OutputKind::unknown;
}();
template <class Loss>
inline constexpr OutputKind kind_taken_by = [] {
  if constexpr (requires { Loss::takes; })
    return Loss::takes;
  else
    return OutputKind::unknown;
}();

}  // namespace fn

SINTER_NAMESPACE_END

namespace sinter {
namespace fn = internal::fn;
}  // namespace sinter
