// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "sinter/loss/head_losses.hpp"
#include "sinter/train/evaluate.hpp"

SINTER_NAMESPACE_BEGIN

/// The mean loss and the accuracy of each head over a dataset, in the order of the heads. The factors given to head_losses()
/// are left out. Accuracy is the share of rows, regardless of row weights, those left out that the head's loss ignores; NaN
/// for a head without classes. Fails on an empty dataset and on a label out of range.
///     const auto [kind, place] = evaluate_heads(net, test, loss);
template <class Net, Dataset D, class... Heads>
std::array<Evaluation, sizeof...(Heads)> evaluate_heads(const Net& net, const D& data,
                                                        const HeadLosses<Heads...>& loss) {
  using T = typename Net::Scalar;
  using Losses = HeadLosses<Heads...>;
  std::array<Evaluation, sizeof...(Heads)> all{};
  if constexpr (check_inputs<Net, inputs_of<D>>() && check_scale<D>() && check_loss<typename Net::Model, Losses>() &&
                check_targets<Net, Losses, targets_of<D>>()) {
    check_size(data);
    if (data.size() == 0) fail("evaluate_heads was given a dataset of 0 rows; give it 1 or more");
    detail::check_options(loss);
    detail::check_targets_for(loss, data.targets(), Net::output_size);
    if constexpr (HasWeights<D>) check_weights(data.weights());
    const auto targets = batch_targets(data);
    std::vector<std::array<T, sizeof...(Heads)>> losses(data.size());  // one for each row, so that sums have one order
    std::vector<std::array<bool, sizeof...(Heads)>> right(data.size());
    detail::forward_all(net, data, [&](std::size_t first, const T* y, std::size_t count) {
      std::vector<T> wanted(Losses::target_size);
      for (std::size_t row = first; row < first + count; ++row, y += Net::output_size) {
        targets.copy_row(row, wanted.data());
        loss.for_each([&](int number, const auto& head) {
          const auto h = static_cast<std::size_t>(number);
          losses[row][h] = row_weight<T>(targets, row) * head.forward(y, static_cast<const T*>(wanted.data()));
          if constexpr (std::remove_cvref_t<decltype(head)>::classes)
            right[row][h] = !head.leaves_out(wanted.data()) &&
                            predicted_class(y + head.first, head.size) == static_cast<int>(wanted[head.wanted]);
        });
      }
    });
    std::vector<T> wanted(Losses::target_size);
    loss.for_each([&](int number, const auto& head) {
      const auto h = static_cast<std::size_t>(number);
      double weight = 0;
      std::size_t count = 0, judged = 0;
      for (std::size_t row = 0; row < data.size(); ++row) {
        targets.copy_row(row, wanted.data());
        all[h].loss += static_cast<double>(losses[row][h]);
        weight += row_weight<double>(targets, row) * head.counts(wanted.data());
        count += right[row][h];
        judged += !head.leaves_out(wanted.data());
      }
      if (weight > 0) all[h].loss /= weight;
      if constexpr (std::remove_cvref_t<decltype(head)>::classes)
        all[h].accuracy = static_cast<double>(count) / static_cast<double>(judged);
    });
  }
  return all;
}

SINTER_NAMESPACE_END
