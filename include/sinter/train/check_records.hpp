// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>

#include "sinter/data/check.hpp"
#include "sinter/data/dataset.hpp"
#include "sinter/data/records.hpp"
#include "sinter/loss/weight.hpp"
#include "sinter/train/check_embedded.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// A placeholder for the rule of a loss that ignores no label.
struct NoLoss {};

/// Fails, naming the row of the files, at the first label or number of a batch that a network cannot learn from.
/// Numbers that are not finite have been found while reading. `read` are the rows whose inputs are there.
template <class Net, class Files, class Loss = NoLoss>
void check_records(const RecordBatch<Files>& batch, const RowRange& read, const Loss& loss = {}) {
  const auto labels = batch.targets();
  for (std::size_t i = 0; i < batch.size(); ++i)
    if (const auto label = static_cast<long long>(labels[i]);
        (label < 0 || label >= Net::output_size) && !ignores(loss, label))
      fail_label(batch.rows()[i], "the labels", std::to_string(labels[i]), Net::output_size);
  constexpr auto largest = static_cast<double>(std::numeric_limits<typename Net::Scalar>::max());
  if constexpr (std::is_same_v<typename Files::Number, double> && largest < std::numeric_limits<double>::max())
    for (std::size_t i = read.first; i < read.last; ++i)
      check_finite(subset(batch, i, 1).inputs(), ("row " + std::to_string(batch.rows()[i]) + " of the files").c_str(),
                   largest);
  check_embedded<typename Net::Model>(subset(batch, read.first, read.last - read.first),
                                      [&](std::size_t i) { return batch.rows()[read.first + i]; });
}

}  // namespace detail

SINTER_NAMESPACE_END
