// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include "sinter/ops/matrix_product.hpp"
#include "sinter/plan/timing.hpp"

SINTER_NAMESPACE_BEGIN

/// Causal attention moment by moment: products of matrices in which one dimension is the time. `op` gets the shapes of
/// one moment, in which a query, a key and a value are [heads][numbers of a head], and `y` the timing of its output.

/// Whether the time of a value is the last dimension of its matrices, or else the first one.
constexpr bool has_time(const Timing& t, Dims seen, bool last) {
  return last ? t.along_width(seen) : seen.rank == 2 && t.along_channels(seen);
}

/// Scores: causal products of the queries and keys of all pairs of moments.
constexpr Unstreamable score_moments(Op& op, const Timing& query, const Timing& key, Timing& y) {
  if (!op.causal || !has_time(query, op.in, op.first_transposed) || !has_time(key, op.second, !op.second_transposed))
    return Unstreamable::all_moments;
  if (query.length != key.length || query.period != key.period) return Unstreamable::rates;
  const int heads = Matrices::of(op.in).count;
  y = query;
  y.delay = std::max(query.delay, key.delay);
  y.outer = heads;
  y.inner = y.length;
  y.attention = Attention::scores;
  op.in = op.second = image(heads, query.features() / heads, 1);
  op.out = features(y.features());
  return Unstreamable::no;
}

/// Sums of the values of all moments by the weights of each.
constexpr Unstreamable sum_moments(Op& op, const Timing& first, const Timing& second, Timing& y) {
  const bool values_first = second.attention != Attention::no;
  const Timing &weight = values_first ? second : first, &value = values_first ? first : second;
  const Dims weights = op.seen(values_first ? 1 : 0), values = op.seen(values_first ? 0 : 1);
  const bool weights_transposed = values_first ? op.second_transposed : op.first_transposed,
             values_transposed = values_first ? op.first_transposed : op.second_transposed;
  const Matrices rows = Matrices::of(weights);
  if (weight.attention != Attention::weights || weights_transposed != values_first || rows.count != weight.outer ||
      rows.rows != weight.length || !has_time(value, values, values_transposed != values_first))
    return Unstreamable::all_moments;
  if (value.length != weight.length || value.period != weight.period || value.delay > weight.delay)
    return Unstreamable::rates;
  const int heads = weight.outer, size = value.features() / heads;
  const Dims of_value = image(heads, size, 1), of_weights = features(weight.features());
  y = weight;
  y.attention = Attention::no;
  y.outer = values_first ? heads * size : heads;
  y.inner = values_first ? 1 : size;
  op.in = values_first ? of_value : of_weights;
  op.second = values_first ? of_weights : of_value;
  op.out = features(heads * size);
  return Unstreamable::no;
}

SINTER_NAMESPACE_END
