// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/int8/refusal.hpp"
#include "sinter/model/program.hpp"

SINTER_NAMESPACE_BEGIN

namespace int8 {

/// Rounds a row of weights to integers from -127 to 127 times a step, the largest magnitude / 127, as quantize() does.
/// Weights that are rounded already keep their bits.
template <class T>
class RoundedRow {
 public:
  RoundedRow(const T* weights, int count) {
    double largest = 0;
    for (int k = 0; k < count; ++k) largest = std::max(largest, std::abs(static_cast<double>(weights[k])));
    if (largest > 0) step_ = largest / 127;
  }
  T operator()(T weight) const { return static_cast<T>(std::floor(static_cast<double>(weight) / step_ + 0.5) * step_); }

 private:
  double step_ = 1;
};

}  // namespace int8

/// A callback that trains a network for weights of 8 bits (Jacob et al., 2018). It keeps weights M of full precision;
/// the network has Q(M), each row of which is rounded as quantize() rounds it. A step that moves the network's weights
/// from Q(M) to P changes M by P - Q(M): its gradient is that at the rounded weights, and the straight-through
/// estimator passes it on. Biases and batch normalisations stay in full precision. M begins as the network's weights
/// when fit() begins, and is kept in checkpoints; at the end the network has the rounded weights.
///
///     fit(net, train, loss, optimizer, {.epochs = 1}, FakeQuantizeWeights{net});
template <class Net>
class FakeQuantizeWeights {
  using Ops = typename Net::Ops;
  using Scalar = typename Net::Scalar;
  static_assert(sizeof(int8::CheckModel<typename Net::Model>) > 0);
  static_assert(Net::on_host,
                "sinter: FakeQuantizeWeights rounds weights in the memory of the host: train on the device Host");

 public:
  explicit FakeQuantizeWeights(Net& net) : net_(&net) {}

  // fit() calls the following: see train/callbacks.hpp.
  void check_network(const void* trained) const {
    if (trained != net_)
      fail(
          "fit was given a FakeQuantizeWeights of another network than the one that it trains; make it of that one: "
          "fit(net, .., FakeQuantizeWeights{net})");
  }
  void on_begin(const auto&) {
    weights_.clear();
    for_each_row([&](Scalar* row, int count, std::size_t) {
      weights_.insert(weights_.end(), row, row + count);
      const int8::RoundedRow<Scalar> rounded(row, count);
      std::transform(row, row + count, row, rounded);
    });
  }
  void on_batch_end(const auto&) {
    for_each_row([&](Scalar* row, int count, std::size_t first) {
      Scalar* const exact = weights_.data() + first;
      const int8::RoundedRow<Scalar> before(exact, count);
      for (int k = 0; k < count; ++k) exact[k] += row[k] - before(exact[k]);
      const int8::RoundedRow<Scalar> now(exact, count);
      std::transform(exact, exact + count, row, now);
    });
  }
  void keep_state(auto& keep) {
    const std::size_t size = weights_.size();
    keep.of("FakeQuantizeWeights");
    keep(weights_);
    keep.check(weights_.size() == size);
  }

 private:
  /// Calls function(row, count, first) for each row of the weights of products; `first` counts numbers before it.
  template <class Function>
  void for_each_row(const Function& function) {
    std::size_t first = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(Ops::op_count); ++i) {
      const Op& op = Ops::ops[i];
      if (op.kind != OpKind::product || op.weight < 0 || seen_before(i)) continue;
      const Parameter& weight = Ops::parameters[static_cast<std::size_t>(op.weight)];
      const int count = weight.size / op.out.channels;
      for (int row = 0; row < op.out.channels; ++row, first += static_cast<std::size_t>(count))
        function(net_->data() + weight.offset + row * count, count, first);
    }
  }
  /// Whether an op before this one has the same weight, in a Shared.
  static bool seen_before(std::size_t index) {
    const auto same = [&](const Op& op) { return op.weight == Ops::ops[index].weight; };
    return std::any_of(Ops::ops.begin(), Ops::ops.begin() + static_cast<std::ptrdiff_t>(index), same);
  }

  Net* net_;
  std::vector<Scalar> weights_;
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::FakeQuantizeWeights;
}  // namespace sinter
