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
#include "sinter/model/outputs.hpp"
#include "sinter/train/check.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
template <class Model>
struct NamesOfHeads {
  using Type = PartNames<>;
};
template <class Model>
  requires(head_count<Model> > 0)
struct NamesOfHeads<Model> {
  using Type = typename EndOf<Model>::Names;
};

/// The outputs of a model, or of a Network: their number (0: one, of no name), and their positions in a row.
template <class Net>
struct HeadsOf {
  using Model = typename ModelAndScalar<Net>::Model;
  static constexpr int count = head_count<Model>;
  /// The first number of head Index; for head `count`, the end.
  static constexpr std::array<int, static_cast<std::size_t>(count) + 1> first = [] {
    std::array<int, static_cast<std::size_t>(count) + 1> all{};
    if constexpr (count > 0)
      for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
        all[i + 1] = output_parts<Model>[i].first + output_parts<Model>[i].dims.size();
    return all;
  }();
  template <NameOrNumber Which>
  static constexpr int index_of = head_number<Model>(Which.name(), Which.number);
  using Names = typename NamesOfHeads<Model>::Type;
  /// Whether a loss of positions is made for the outputs of head Index.
  template <class Loss, int Index>
  static constexpr bool fits_positions() {
    if constexpr (LabelsPositions<Loss>)
      return Loss::outputs == output_parts<Model>[static_cast<std::size_t>(Index)].dims;
    else
      return true;
  }
};

template <class Loss>
constexpr WeightedLoss<Loss> weighted(const Loss& loss) {
  return {loss, 1};
}
template <class Loss>
constexpr WeightedLoss<Loss> weighted(const WeightedLoss<Loss>& loss) {
  return loss;
}

/// Where the targets of a head begin in a row of them.
template <class Net, class... Losses>
constexpr int first_target(int head) {
  std::size_t i = 0;
  int first = 0;
  ((static_cast<int>(i) < head ? first += targets_of_head<Losses>(HeadsOf<Net>::first[i + 1] - HeadsOf<Net>::first[i])
                               : 0,
    ++i),
   ...);
  return first;
}
template <class Net, class... Losses, int... Index>
constexpr bool fit_positions(std::integer_sequence<int, Index...>) {
  return (true && ... && HeadsOf<Net>::template fits_positions<Losses, Index>());
}
template <class Net, class... Losses, int... Index>
constexpr auto make_head_losses(std::integer_sequence<int, Index...>, const WeightedLoss<Losses>&... losses) {
  constexpr auto& first = HeadsOf<Net>::first;
  return HeadLosses{
      HeadLoss<first[Index], first[Index + 1] - first[Index], first_target<Net, Losses...>(Index), Losses>{losses}...};
}

/// The loss of one head, without its weight.
template <class Loss>
struct AloneOf {
  using Type = Loss;
};
template <class Loss>
struct AloneOf<WeightedLoss<Loss>> {
  using Type = Loss;
};
}  // namespace detail

/// The loss of a network that ends in Heads: one loss for each head, in order, with an optional factor.
///     head_losses<Net>(CrossEntropyLoss{}, 0.5 * MSELoss{})
///     head_losses<Net>(at_each_pixel<Net, "mask">(CrossEntropyLoss{}), 0.1 * MSELoss{})
/// Net is a model or a Network. Targets are rows of numbers, [rows][n]: for each head in order its label (one number)
/// if its loss takes classes, the label of each step or pixel if it is made by at_each_step or at_each_pixel, else one
/// number for each of its outputs.
template <class Net, class... Losses, class Distinct = detail::DistinctOf<Net>>
constexpr auto head_losses(const Losses&... losses) {
  using Of = detail::HeadsOf<Distinct>;
  using Index = std::make_integer_sequence<int, sizeof...(Losses)>;
  constexpr bool one_each = Of::count == sizeof...(Losses) && sizeof...(Losses) > 0;
  constexpr bool own = [] {
    if constexpr (one_each)
      return detail::fit_positions<Distinct, typename detail::AloneOf<Losses>::Type...>(Index{});
    else
      return true;
  }();
  static_assert(one_each,
                "sinter: head_losses<Net>(..) takes a loss for each head of a network that ends in Heads<..>");
  static_assert(
      own,
      "sinter: this loss is made for another head: at_each_step<Net, 0>(..) and at_each_pixel<Net, 0>(..) take "
      "the number or the name of the head that they compare");
  if constexpr (one_each && own)
    return detail::make_head_losses<Distinct>(Index{}, detail::weighted(losses)...);
  else
    return MSELoss{};
}

/// The outputs of one head, in its shape, as a view into rows of all outputs, which must outlive it:
///     const auto y = predict(net, data);
///     const auto places = head<Net, 1>(y);       // or by name: head<Net, "place">(y)
template <class Net, NameOrNumber Which, class T, class S, class Memory, class Distinct = detail::DistinctOf<Net>>
auto head(const TensorView<T, S, Memory>& y) {
  using Of = detail::HeadsOf<Distinct>;
  constexpr bool known = is_one_of<Which, typename Of::Names>;
  static_assert(is_one_of<Which, typename Of::Names>,
                "sinter: the network has no head of that name or number: see is_one_of<given, heads>");
  constexpr std::size_t place = known ? static_cast<std::size_t>(Of::template index_of<Which>) : 0;
  constexpr RowPart part = output_parts<typename Of::Model>[place];
  return TensorView<T, shape_of<part.dims>, Memory>{
      y.data + part.first * y.channel_stride, y.rows,          y.row_stride, y.channel_stride * part.dims.pixels(),
      y.channel_stride * part.dims.width,     y.channel_stride};
}
/// The same for a tensor.
template <class Net, NameOrNumber Which, class T, class S, class Distinct = detail::DistinctOf<Net>>
auto head(const Tensor<T, S>& y) {
  return head<Distinct, Which>(y.view());
}
/// For a temporary: refused with a message.
template <class Net, NameOrNumber Which, class T, class S>
void head(const Tensor<T, S>&&) {
  static_assert(std::is_void_v<T>,
                "sinter: head() only views the outputs, and a temporary would be gone; give it a name first");
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::head;
using internal::head_losses;
}  // namespace sinter
