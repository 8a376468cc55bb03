// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include "sinter/ops/op.hpp"

SINTER_NAMESPACE_BEGIN

namespace reference_kernels {

/// Calls visit(begin, mean, 1 / sqrt(variance + epsilon)) for each group of a sample, whose numbers begin at `begin`.
template <class T, class Visit>
void each_group(const Op& op, const T* x, Visit visit) {
  const int size = op.in.size() / op.groups;
  for (int begin = 0; begin < op.in.size(); begin += size) {
    T mean(0), squares(0);
    for (int i = begin; i < begin + size; ++i) mean += x[i] / T(size);
    for (int i = begin; i < begin + size; ++i) squares += (x[i] - mean) * (x[i] - mean);
    visit(begin, mean, T(1) / std::sqrt(squares / T(size) + T(op.epsilon)));
  }
}
/// The weight, and the bias, of element i.
inline int weight_of(const Op& op, int i) { return op.per_channel ? i / op.in.pixels() : i; }

/// y = (x - mean) r w + b. Without a weight or a bias these are null.
template <class T>
void group_normalize_forward(const Op& op, const T* w, const T* b, const T* x, T* y) {
  each_group(op, x, [&](int begin, T mean, T r) {
    for (int i = begin; i < begin + op.in.size() / op.groups; ++i)
      y[i] = (x[i] - mean) * r * (w ? w[weight_of(op, i)] : T(1)) + (b ? b[weight_of(op, i)] : T(0));
  });
}

/// dx += r (g - mean of g - h mean of g h), with h = (x - mean) r and g = w dy; dw += dy h, db += dy.
template <class T>
void group_normalize_backward(const Op& op, const T* w, const T* x, const T* dy, T* dx, T* dw, T* db) {
  const int size = op.in.size() / op.groups;
  each_group(op, x, [&](int begin, T mean, T r) {
    T total(0), along(0);
    const auto g = [&](int i) { return dy[i] * (w ? w[weight_of(op, i)] : T(1)); };
    for (int i = begin; i < begin + size; ++i) {
      const T h = (x[i] - mean) * r;
      total += g(i) / T(size);
      along += g(i) * h / T(size);
      if (dw) dw[weight_of(op, i)] += dy[i] * h;
      if (db) db[weight_of(op, i)] += dy[i];
    }
    for (int i = begin; i < begin + size; ++i) dx[i] += r * (g(i) - total - (x[i] - mean) * r * along);
  });
}

}  // namespace reference_kernels

SINTER_NAMESPACE_END
