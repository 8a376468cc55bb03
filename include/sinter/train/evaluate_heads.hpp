// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "sinter/loss/head_losses.hpp"
#include "sinter/train/evaluate.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// The mean loss and the accuracy of the loss, which has none, followed by those of each head. The dataset has been
/// checked.
template <class Net, Dataset D, class... Heads>
std::array<Evaluation, 1 + sizeof...(Heads)> evaluate_rows_of_heads(const Net& net, const D& data,
                                                                    const HeadLosses<Heads...>& loss,
                                                                    std::size_t chunks = 1) {
  using T = typename Net::Scalar;
  using Losses = HeadLosses<Heads...>;
  std::array<Evaluation, 1 + sizeof...(Heads)> all{};
  const auto targets = batch_targets(data);
  decltype(auto) whole = loss_of_batch(loss, targets, data.size());
  struct Row {
    std::array<T, 1 + sizeof...(Heads)> losses;
    std::array<std::int32_t, sizeof...(Heads)> labels, right;
  };
  std::vector<Row> rows(data.size());  // so that the sums have one order
  const auto judge = [&](std::size_t first, const T* y, std::size_t count) {
    std::vector<T> wanted(Losses::target_size);
    for (std::size_t row = first; row < first + count; ++row, y += Net::output_size) {
      targets.copy_row(row, wanted.data());
      const T weight = row_weight<T>(targets, row);
      rows[row].losses[0] = weight * whole.forward(y, Net::output_size, static_cast<const T*>(wanted.data()));
      loss.for_each([&](int number, const auto& head) {
        const auto h = static_cast<std::size_t>(number);
        rows[row].losses[1 + h] = weight * head.forward(y, static_cast<const T*>(wanted.data()));
        const auto judged = head.judge(y, static_cast<const T*>(wanted.data()));
        rows[row].labels[h] = judged.labels;
        rows[row].right[h] = judged.right;
      });
    }
  };
  forward_all(net, data, forwarded_rows(net, data.size()), chunks, judge, rows.data());
  for (const Row& row : rows) all[0].loss += static_cast<double>(row.losses[0]);
  if (const double weight = weight_of_batch(loss, targets, data.size()); weight > 0) all[0].loss /= weight;
  std::vector<T> wanted(Losses::target_size);
  loss.for_each([&](int number, const auto& head) {
    const auto h = static_cast<std::size_t>(number);
    Evaluation& own = all[1 + h];
    double weight = 0;
    double labels = 0, right = 0;
    for (std::size_t row = 0; row < data.size(); ++row) {
      targets.copy_row(row, wanted.data());
      own.loss += static_cast<double>(rows[row].losses[1 + h]);
      weight += row_weight<double>(targets, row) * head.counts(wanted.data());
      labels += rows[row].labels[h];
      right += rows[row].right[h];
    }
    if (weight > 0) own.loss /= weight;
    if constexpr (std::remove_cvref_t<decltype(head)>::class_count > 0) own.accuracy = right / labels;
  });
  return all;
}

}  // namespace detail

/// The mean loss and the accuracy of each head over a dataset, in the order of the heads. The factors given to
/// head_losses() are left out. Accuracy is the fraction of labels, of rows or of their steps or pixels, regardless of
/// weights, those left out that the head's loss ignores; NaN for a head without classes. Fails as evaluate.
///     const auto [kind, place] = evaluate_heads(net, test, loss);
template <class Net, Dataset D, class... Heads>
std::array<Evaluation, sizeof...(Heads)> evaluate_heads(const Net& net, const D& data,
                                                        const HeadLosses<Heads...>& loss) {
  using Losses = HeadLosses<Heads...>;
  std::array<Evaluation, sizeof...(Heads)> each{};
  if constexpr (check_inputs<Net, inputs_of<D>>() && check_scale<D>() && check_loss<typename Net::Model, Losses>() &&
                check_targets<Net, Losses, targets_of<D>>()) {
    detail::check_measurable<Net>(data, "evaluate_heads");
    detail::check_loss_for<Net>(loss);
    detail::check_targets_for(loss, batch_targets(data), Net::output_size);
    const auto all = detail::evaluate_rows_of_heads(net, data, loss);
    std::copy(all.begin() + 1, all.end(), each.begin());
  }
  return each;
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::evaluate_heads;
}  // namespace sinter
