// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>

#include "sinter/data/records.hpp"
#include "sinter/train/check_records.hpp"
#include "sinter/train/evaluate.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Reads files in order, batch by batch: each(batch, which rows are forwarded here). A batch of large rows has fewer.
template <class Net, Records D, class Each>
void for_each_batch(const Net& net, const D& files, Each&& each) {
  constexpr std::size_t size = static_cast<std::size_t>(D::Row::size),
                        rows = std::clamp<std::size_t>((std::size_t{1} << 22) / size, rows_at_once, 4096);
  const auto shared = forwarded_rows(net, files.size());
  BatchesAhead<D, const decltype(shared)> batches(
      files, {.batch_size = rows / rows_at_once * rows_at_once, .shuffle = false, .ahead = 1}, shared);
  for (const RecordBatch<D>& batch : batches) each(batch, shared);
}

/// Evaluates a loss whose options have been checked.
template <class Net, Records D, class Loss>
Evaluation evaluate_records(const Net& net, const D& files, const Loss& loss) {
  EvaluationSums sums;
  for_each_batch(net, files, [&](const RecordBatch<D>& batch, const auto& shared) {
    check_records<Net>(batch, shared.rows_to_read(batch.size()), loss);
    if constexpr (evaluated_on_device<Net, RecordBatch<D>, Loss>) {
      typename Net::Engine engine(net.device());
      sums.add(engine.evaluate(net.data(), engine.keep(batch), loss), batch.size());
    } else
      add_rows(net, batch, shared, loss, sums);
  });
  return sums.means<true>();
}

/// Fails where files have no rows.
template <Records D>
void check_some_rows(const D& files, const char* metric) {
  if (files.size() == 0) fail(joined({metric, " was given files of 0 rows; give it 1 or more"}));
}

}  // namespace detail

/// The same over files, which are read ahead: bit for bit as over the same rows in memory. Rows are checked as they are
/// read.
template <class Net, Records D, class Loss>
Evaluation evaluate(const Net& net, const D& files, const Loss& loss) {
  using Rows = RecordBatch<D>;
  if constexpr (!check_is_loss<Loss, typename Net::Scalar, true>()) {
    return {};
  } else if constexpr (check_inputs<Net, inputs_of<Rows>>() && check_loss<typename Net::Model, Loss>() &&
                       check_targets<Net, Loss, targets_of<Rows>>()) {
    detail::check_some_rows(files, "evaluate");
    detail::check_loss_for<Net>(loss);
    return detail::evaluate_records(net, files, loss);
  } else
    return {};
}

/// The same fraction over files.
template <class Net, Records D>
double score(const Net& net, const D& files) {
  using Rows = RecordBatch<D>;
  if constexpr (check_inputs<Net, inputs_of<Rows>>() && check_classes<Net, Rows>()) {
    detail::check_some_rows(files, "score");
    std::size_t right = 0;
    detail::for_each_batch(net, files, [&](const Rows& batch, const auto& shared) {
      detail::check_records<Net>(batch, shared.rows_to_read(batch.size()));
      right += detail::count_right(net, batch, shared);
    });
    return static_cast<double>(right) / static_cast<double>(files.size());
  } else
    return 0;
}

/// The outputs for every row of files, [rows][output].
template <class Net, Records D>
Tensor<typename Net::Scalar, typename Net::OutputRow> predict(const Net& net, const D& files) {
  Tensor<typename Net::Scalar, typename Net::OutputRow> all(files.size());
  if constexpr (check_inputs<Net, inputs_of<RecordBatch<D>>>()) {
    auto* to = all.data();
    detail::for_each_batch(net, files, [&](const RecordBatch<D>& batch, const auto& shared) {
      detail::predict_rows(net, batch, shared, to);
      to += batch.size() * static_cast<std::size_t>(Net::output_size);
    });
  }
  return all;
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::evaluate;
using internal::predict;
using internal::score;
}  // namespace sinter
