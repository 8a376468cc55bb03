// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>

#include "sinter/core/beyond_int64.hpp"
#include "sinter/core/error.hpp"
#include "sinter/core/finite.hpp"
#include "sinter/core/number_text.hpp"
#include "sinter/loss/target.hpp"

SINTER_NAMESPACE_BEGIN

/// A loss that weights a row by its label: `weight_of(label)`, and `forward` returns the loss of a row times that. The
/// loss of a batch is then the sum over its rows divided by the sum of their weights, as PyTorch's; 0 where nothing
/// counts.
template <class Loss>
concept WeighsClasses = requires(const Loss& loss) {
  { loss.weight_of(std::int64_t{}) } -> std::convertible_to<double>;
};

/// A loss of several outputs, some of which weight a row by its label: each of these is divided by its own weights. For
/// given rows it is `for_rows(count, target_of, weight_of)`.
template <class Loss>
concept WeighsHeads = requires { requires Loss::weighs_heads; };

/// The number of a loss's heads, whose losses a step adds up separately: 0 for all except HeadLosses.
template <class Loss>
inline constexpr std::size_t heads_of_loss = [] {
  if constexpr (requires { Loss::weighs_heads; })
    return static_cast<std::size_t>(Loss::count);
  else
    return std::size_t{0};
}();
/// How many sums of losses a step makes: of the loss itself, and of each head.
template <class Loss>
inline constexpr std::size_t loss_sums = 1 + heads_of_loss<Loss>;

namespace detail {

/// The loss of rows [0, count), whose sum is divided by the sum of weight_of(row). target_of(row) is what a row is
/// compared with.
template <class Loss, class TargetOf, class WeightOf>
constexpr decltype(auto) loss_of_rows(const Loss& loss, [[maybe_unused]] std::size_t count,
                                      [[maybe_unused]] TargetOf&& target_of, [[maybe_unused]] WeightOf&& weight_of) {
  if constexpr (WeighsHeads<Loss>)
    return loss.for_rows(count, target_of, weight_of);
  else
    return (loss);
}

/// Whether a loss that is made for a number of classes, `Loss::classes`, is made for this one.
template <class Loss, int N>
inline constexpr bool fits_classes = [] {
  if constexpr (requires { Loss::classes; })
    return Loss::classes == N;
  else
    return true;
}();

/// Whether a loss that reads so many outputs, `Loss::outputs`, is given as many.
template <class Loss, int N>
inline constexpr bool fits_outputs = outputs_read<Loss> == N || outputs_read<Loss> == 0;

template <class Loss>
constexpr double class_weight([[maybe_unused]] const Loss& loss, [[maybe_unused]] std::int64_t label) {
  if constexpr (WeighsClasses<Loss>)
    return loss.weight_of(label);
  else
    return 1;
}

/// The factor that makes the sum over the rows of a batch a mean.
constexpr double mean_factor(double total_weight) { return total_weight > 0 ? 1 / total_weight : 0; }

/// Whether a label is not one of `classes`, and marks a row that does not count.
template <class Loss, class Label>
constexpr bool ignores([[maybe_unused]] const Loss& loss, [[maybe_unused]] Label label) {
  if constexpr (requires { loss.ignore_index; })
    return !is_beyond_int64(label) && static_cast<std::int64_t>(label) == loss.ignore_index;
  else
    return false;
}

/// Fails if the options of a loss are invalid.
template <class Loss>
void check_options([[maybe_unused]] const Loss& loss) {
  if constexpr (requires { loss.check(); }) loss.check();
}
SINTER_COLD inline void require_option(bool sound, const char* loss, const char* what, double value,
                                       const char* expected) {
  if (!sound)
    fail(std::string(loss) + " was given " + what + " = " + exact_text(value) + ", expected " + expected +
         "; correct that option");
}
/// The same of a weight, or another factor of losses that may be 0.
inline void require_weight_option(const char* loss, const char* what, double value) {
  require_option(is_weight(value), loss, what, value, weight_range);
}
/// Fails if the weights of a batch's rows, each times that of its class, have a sum that floats cannot divide by.
SINTER_COLD inline void check_total_weight(double total) {
  if (!is_weight(total))
    fail("the weights of the rows of a batch, times those of their classes, sum to " + exact_text(total) +
         ", expected " + weight_range + "; scale all weights alike");
}

}  // namespace detail

SINTER_NAMESPACE_END
