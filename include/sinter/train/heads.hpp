// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "sinter/core/tensor.hpp"
#include "sinter/layers/heads.hpp"
#include "sinter/loss/head_losses.hpp"
#include "sinter/loss/mse.hpp"
#include "sinter/loss/weight.hpp"
#include "sinter/model/head_count.hpp"
#include "sinter/model/model_and_scalar.hpp"
#include "sinter/model/program.hpp"
#include "sinter/train/check.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
/// The outputs of a model, or of a Network: their number (0: one, of no name), and their positions in a row.
template <class Net>
struct HeadsOf {
  using Model = typename ModelAndScalar<Net>::Model;
  using Layers = typename Model::LayerTypes;
  using Last = EndOf<Model>;
  static constexpr int count = head_count<Model>;
  /// The first number of head Index; for head `count`, the end.
  static constexpr std::array<int, static_cast<std::size_t>(count) + 1> first = [] {
    std::array<int, static_cast<std::size_t>(count) + 1> all{};
    if constexpr (count > 0) {
      using Ops = Program<Model>;
      constexpr std::size_t before = static_cast<std::size_t>(Layers::size) - 1;
      constexpr Dims in = before == 0 ? Ops::input : Ops::layer_outputs[before == 0 ? 0 : before - 1];
      [&]<int... Index>(std::integer_sequence<int, Index...>) {
        ((all[Index + 1] = all[Index] + Last::template Head<Index>::output(in).channels), ...);
      }(std::make_integer_sequence<int, count>{});
    }
    return all;
  }();
};

template <class Loss>
constexpr WeightedLoss<Loss> weighted(const Loss& loss) {
  return {loss, 1};
}
template <class Loss>
constexpr WeightedLoss<Loss> weighted(const WeightedLoss<Loss>& loss) {
  return loss;
}

/// Where the targets of head Index begin in a row of them.
template <class Net, class... Losses>
constexpr int first_target(int head) {
  const bool classes[] = {std::is_same_v<typename Losses::Target, ClassTarget>...};
  int first = 0;
  for (int i = 0; i < head; ++i) {
    const auto k = static_cast<std::size_t>(i);
    first += classes[k] ? 1 : HeadsOf<Net>::first[k + 1] - HeadsOf<Net>::first[k];
  }
  return first;
}
template <class Net, class... Losses, int... Index>
constexpr auto make_head_losses(std::integer_sequence<int, Index...>, const WeightedLoss<Losses>&... losses) {
  constexpr auto& first = HeadsOf<Net>::first;
  return HeadLosses{
      HeadLoss<first[Index], first[Index + 1] - first[Index], first_target<Net, Losses...>(Index), Losses>{losses}...};
}
}  // namespace detail

/// The loss of a network that ends in Heads: one loss for each head, in order, with an optional factor.
///     head_losses<Net>(CrossEntropyLoss{}, 0.5 * MSELoss{})
/// Net is a model or a Network. Targets are rows of numbers, [rows][n]: for each head in order its label (one number)
/// if its loss takes classes, else one number for each of its outputs.
template <class Net, class... Losses>
constexpr auto head_losses(const Losses&... losses) {
  constexpr bool one_each = detail::HeadsOf<Net>::count == sizeof...(Losses) && sizeof...(Losses) > 0;
  constexpr bool rows = (!detail::LabelsPositions<Losses> && ...);
  static_assert(rows, "sinter: the losses of heads are of whole rows, not at_each_step or at_each_pixel");
  static_assert(one_each,
                "sinter: head_losses<Net>(..) takes a loss for each head of a network that ends in Heads<..>");
  if constexpr (one_each && rows)
    return detail::make_head_losses<Net>(std::make_integer_sequence<int, sizeof...(Losses)>{},
                                         detail::weighted(losses)...);
  else
    return MSELoss{};
}

/// The outputs of head Index, [rows][size of the head], as a view into `y`, which must outlive it:
///     const auto y = predict(net, data);
///     const auto places = head<Net, 1>(y);
template <class Net, int Index, class T, class S, class Memory>
auto head(const TensorView<T, S, Memory>& y) {
  using Of = detail::HeadsOf<Net>;
  static_assert(Index >= 0 && Index < Of::count,
                "sinter: head<Net, Index>(..) takes the number of a head of Net, from 0");
  constexpr int first = Of::first[Index], size = Of::first[Index + 1] - first;
  return TensorView<T, Shape<size>, Memory>{y.data + first * y.channel_stride, y.rows, y.row_stride, y.channel_stride};
}
/// The same for a tensor.
template <class Net, int Index, class T, class S>
auto head(const Tensor<T, S>& y) {
  return head<Net, Index>(y.view());
}
/// For a temporary: refused with a message.
template <class Net, int Index, class T, class S>
void head(const Tensor<T, S>&&) {
  static_assert(std::is_void_v<T>,
                "sinter: head() only views the outputs, and a temporary would be gone; give it a name first");
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::head;
using internal::head_losses;
}  // namespace sinter
