// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "sinter/fn/softmax.hpp"
#include "sinter/kernels/gpu/batch.hpp"
#include "sinter/kernels/gpu/ride.hpp"
#include "sinter/kernels/gpu/work.hpp"
#include "sinter/loss/target.hpp"
#include "sinter/loss/weight.hpp"
#include "sinter/model/head_count.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// Losses that compute dy in place of the exponentials of y, which threads share.
template <class Loss, class T>
concept TakesExponentials = requires(const Loss& loss, const T* y, T* dy) {
  { loss.forward_and_backward_from(y, 1, y[0], y[0], dy) } -> std::convertible_to<T>;
};

/// The loss of each row, followed by those of the heads, and its gradient.
template <class X, class Tile, class Data, class Loss>
SINTER_FN void take_loss(X& x, const Tile& tile, const Data& data, const Loss& loss) {
  using T = typename Tile::T;
  using S = Stages<typename Tile::Model>;
  using Record = typename Tile::Record;
  constexpr int n = S::outputs, output = Record::template value<S::Ops::output_value>, at = Record::loss,
                gradient = Record::output_gradient, heads = static_cast<int>(heads_of_loss<Loss>);
  static_assert(heads == 0 || heads == head_count<typename Tile::Model>);
  constexpr bool shares = TakesExponentials<Loss, T> && shares_rows(Tile::expected_rows, 1, n);
  using executor::in, executor::out;
  if constexpr (shares) {
    x.items(tile.rows * n, [&](int item) {
      const auto record = tile.record(item / n);
      record[gradient + item % n] = fn::exponential(in(record + output, n), n, item % n);
    });
    x.barrier();
  }
  x.items(tile.rows, [&](int row) {
    const std::uint32_t sample = tile.chosen[row];
    const auto record = tile.record(row);
    const T* y = in(record + output, n);
    T* dy = out(record + gradient, n);
    // The loss; those of the heads are left in `each`.
    const auto take = [&](auto target, T scale, [[maybe_unused]] T* each) {
      if constexpr (shares) {
        return loss.forward_and_backward_from(y, n, target, scale, dy);
      } else {
        T taken;
        if constexpr (heads > 0)
          taken = loss.forward_each(y, target, each);
        else
          taken = loss.forward(y, n, target);
        loss.backward(y, n, target, scale, dy);
        return taken;
      }
    };
    const auto compare_with = [&](auto target) {
      [[maybe_unused]] T each[heads + 1];
      if constexpr (WeighsRows<Data>) {
        const T weight = x.global(data.weights + sample)[0];
        record[at] = weight * take(target, weight * tile.scale, each);
        for (int h = 0; h < heads; ++h) record[at + 1 + h] = weight * each[h];
      } else {
        record[at] = take(target, tile.scale, each);
        for (int h = 0; h < heads; ++h) record[at + 1 + h] = each[h];
      }
    };
    if constexpr (std::is_same_v<typename Loss::Target, ClassTarget>)
      compare_with(static_cast<T>(x.global(data.targets + sample)[0]));
    else {
      constexpr int size = target_size<Loss>(n);
      compare_with(in(x.global(data.targets + std::size_t{sample} * size), size));
    }
  });
}

/// Passes the gradient of the output to the stage that made it.
template <class X, class Tile>
SINTER_FN void give_output_gradient(X& x, const Tile& tile) {
  using S = Stages<typename Tile::Model>;
  constexpr int n = S::outputs, gradient = Tile::Record::output_gradient;
  x.items(tile.rows * n, [&](int item) {
    const int row = item / n, i = item % n;
    take_gradient<S::Ops::output_value>(tile, row, i, tile.record(row)[gradient + i]);
  });
}

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
