// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "sinter/data/batch.hpp"
#include "sinter/data/check.hpp"
#include "sinter/loss/weight.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Whether the mean loss over some rows divides by something else than their number: by the weights of the rows or of
/// their classes, which only the host sums up. Steps and judgements are then made batch by batch on every device.
template <class Loss, class D>
inline constexpr bool divides_by_weights = WeighsClasses<Loss> || HasWeights<D>;

/// What rows [0, count) of a batch weigh together: their number, unless they or the loss say otherwise.
template <class Loss, class Targets>
double weight_of_batch([[maybe_unused]] const Loss& loss, [[maybe_unused]] const Targets& targets, std::size_t count) {
  if constexpr (WeighsClasses<Loss> || HasRowWeights<Targets>) {
    double total = 0;
    for (std::size_t i = 0; i < count; ++i) {
      double weight = row_weight<double>(targets, i);
      if constexpr (WeighsClasses<Loss>) weight *= loss.weight_of(targets.label(i));
      total += weight;
    }
    return total;
  } else {
    return static_cast<double>(count);
  }
}

/// check_labels that lets through what the loss ignores.
template <class Loss, Labels L>
void check_labels_for(const Loss& loss, L labels, int classes) {
  check_labels(labels, classes, "the labels", [&](long long label) { return ignores(loss, label); });
}

}  // namespace detail

SINTER_NAMESPACE_END
