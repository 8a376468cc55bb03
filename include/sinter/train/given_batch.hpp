// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

#include "sinter/core/error.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/data/batch.hpp"
#include "sinter/data/check.hpp"
#include "sinter/loss/target.hpp"
#include "sinter/model/program.hpp"
#include "sinter/train/batch_weight.hpp"
#include "sinter/train/check.hpp"
#include "sinter/train/check_embedded.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

// What a caller gives one step of a Trainer, as the engines read it.

template <class Targets>
using TargetsView = decltype(view_of(std::declval<const Targets&>()));

template <class Row, class T, class Memory>
TensorView<const std::remove_const_t<T>, Row, Memory> inputs_view(const TensorView<T, Row, Memory>& x) {
  static_assert(!needs_scale<T>,
                "sinter: integers need a scale: give the step a dataset, dataset(rows, labels, "
                "Normalize::pixels(mean, deviation)) or a subset of one");
  return x;
}
template <class Row, class T>
TensorView<const T, Row> inputs_view(const Tensor<T, Row>& x) {
  return x.view();
}
template <class Targets>
BatchTargets<TargetsView<Targets>> targets_in_order(const Targets& targets) {
  check_targets_scale<TargetsView<Targets>>();
  return {view_of(targets)};
}

SINTER_COLD void check_counts(std::size_t rows, std::size_t targets);
template <class Loss, class Inputs, class Targets>
void check_batch(const Loss& loss, int outputs, const Inputs& inputs, const Targets& targets) {
  if constexpr (std::is_same_v<typename Loss::Target, ClassTarget>) {
    check_counts(inputs.rows, targets.labels.size());
    check_pointers(inputs, targets.labels);
    check_targets_for(loss, targets, outputs);
  } else {
    check_counts(inputs.rows, targets.view.rows);
    check_pointers(inputs, targets.view);
    check_targets_for(loss, targets, outputs);
  }
}
/// Checks the scale of a batch's inputs, and the numbers that layers look up; not on ranks, which read some of the
/// rows.
template <class Net, class Inputs>
void check_inputs_of_step([[maybe_unused]] const Net& net, const Inputs& inputs, Normalize normalize) {
  normalize.template check<typename Inputs::Value>();
  if constexpr (!requires { net.device().all(true); }) check_embedded_in<typename Net::Model>(inputs, normalize);
}
template <class D>
void check_row_weights([[maybe_unused]] const D& data) {
  if constexpr (HasWeights<D>) {
    check_size(data);
    check_weights(data.weights());
  }
}
/// The variance of a channel needs two numbers.
template <class Model>
SINTER_COLD void check_statistics(std::size_t rows) {
  using Ops = Program<Model>;
  for (const Op& op : Ops::ops)
    if (op.kind == OpKind::statistics && rows == 1 && op.in.pixels() == 1)
      fail(std::string("layer ") + std::to_string(op.layer) + " (" +
           Ops::layer_names[static_cast<std::size_t>(op.layer)] +
           ") was given a batch with 1 row to train on, and takes statistics over its rows; give it 2 or more, also in "
           "the last batch of an epoch, or leave that out by .drop_last");
}
/// The same of the smallest batch of an epoch.
template <class Model>
void check_statistics_of_epoch(std::size_t size, std::size_t batch) {
  const std::size_t rows = std::min(batch, size);
  check_statistics<Model>(size % rows == 0 ? rows : size % rows);
}

}  // namespace detail

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/train/given_batch.ipp"
#endif
