// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <type_traits>

#include "sinter/core/braced.hpp"
#include "sinter/data/dataset.hpp"
#include "sinter/loss/target.hpp"
#include "sinter/model/head_count.hpp"
#include "sinter/network/model_of.hpp"

SINTER_NAMESPACE_BEGIN

/// Whether a Trainer is given a network, and can keep a pointer to it. If not, compilation ends here with a message.
template <class Net>
constexpr bool check_is_network() {
  constexpr bool network = detail::IsNetwork<Net>;
  static_assert(network,
                "sinter: a Trainer takes a network that has a name, then a loss and an optimizer: Trainer{net, "
                "MSELoss{}, SGD{.lr = 0.1}}; of a pointer give *pointer");
  return network;
}

/// Whether a network can be trained. If not, compilation ends here with a message.
template <class Net>
constexpr bool check_trainable() {
  constexpr bool changes = !std::is_const_v<Net>;
  static_assert(changes, "sinter: training changes a network, and this one is const: train a copy, or one that is not");
  return changes;
}

/// Whether a Trainer of a network keeps a batch from forward(x) to backward(dy). If not, compilation ends here with a
/// message.
template <class Net>
constexpr bool check_keeps_batch() {
  constexpr bool keeps = Net::on_host;
  static_assert(keeps,
                "sinter: a network on a GPU keeps no batch from forward(x) to backward(dy): give both to backward(x, "
                "dy)");
  return keeps;
}

/// Whether a network reads rows of such a view. If not, compilation ends here with a message.
template <class Net, class View>
constexpr bool check_inputs() {
  using Needed = typename Net::InputRow;
  constexpr bool refused = requires { requires std::is_same_v<typename View::Space, detail::Refused>; };
  constexpr bool rows = refused || has_shape<View>;
  static_assert(
      rows,
      "sinter: inputs come as a Tensor, or as a TensorView on numbers of yours, which say the shape of a row: "
      "TensorView<const float, Shape<..>>::from(numbers)");
  if constexpr (rows && !refused && detail::has_model<Net>)
    static_assert(
        has_rows_of<View, Needed>,
        "sinter: the rows given do not have the shape of the network's Input: see has_rows_of<given, needed>");
  return has_rows_of<View, Needed>;
}

/// Whether the only argument of a step has both rows and targets. If not, compilation ends here with a message.
template <class D>
constexpr bool check_is_dataset() {
  constexpr bool dataset = Dataset<D>;
  static_assert(dataset,
                "sinter: a step takes rows and their targets, (x, labels), or a dataset, such as subset(data, first, "
                "count)");
  return dataset;
}

/// Whether the targets of a dataset are classes and the network has one output. If not, compilation ends here with a
/// message.
template <class Net, Dataset D>
constexpr bool check_classes() {
  constexpr bool one_output = head_count<typename Net::Model> == 0, labels = has_labels<D>;
  static_assert(one_output,
                "sinter: a network that ends in Heads has no single class: evaluate_heads(net, data, loss) gives the "
                "accuracy of each head, head<Net, 0>(outputs) the outputs of one");
  static_assert(labels || !one_output,
                "sinter: the fraction of right classes needs labels, and the targets are rows of numbers: see "
                "regression(net, data), or for labels of steps score(net, data, at_each_step<Net>(..))");
  return one_output && labels;
}

/// Whether a dataset says how its inputs are scaled, where they are bytes.
template <Dataset D>
constexpr bool check_scale() {
  constexpr bool scaled = says_scale<D>;
  static_assert(scaled,
                "sinter: integers need a scale: give the dataset a normalize() that returns Normalize::pixels(mean, "
                "deviation)");
  return scaled;
}

/// Whether targets that come without a dataset need no scale.
template <class Targets>
constexpr bool check_targets_scale() {
  constexpr bool scaled = !detail::rows_need_scale<Targets>;
  static_assert(
      scaled,
      "sinter: integers need a scale: give the step a dataset, dataset(x, x, Normalize::pixels(mean, deviation))");
  return scaled;
}

namespace detail {
template <class Loss>
concept names_target = requires { typename Loss::Target; };
}  // namespace detail

/// Whether a loss compares the outputs of a network with such targets: a span of labels, or a view of rows.
template <class Net, class Loss, class Targets>
constexpr bool check_targets() {
  constexpr bool in_braces = std::is_same_v<Targets, std::span<const detail::Braced>>;
  static_assert(!in_braces,
                "sinter: targets say what they are: const std::vector<int> labels{0, 1}, or const Tensor<float, "
                "Shape<..>> targets{..}, then labels or targets");
  if constexpr (in_braces || !detail::names_target<Loss>) {
    return false;  // which has been reported
  } else if constexpr (std::is_same_v<typename Loss::Target, ClassTarget>) {
    constexpr bool labels = Labels<Targets>;
    static_assert(labels, "sinter: this loss compares with class numbers; pass a span of integer labels, not a tensor");
    return labels;
  } else {
    constexpr bool numbers = !Labels<Targets>;
    using Needed = target_row<Loss, typename Net::OutputRow>;
    static_assert(numbers, "sinter: this loss compares with rows of numbers; pass a tensor of targets, not labels");
    constexpr int size = target_size<Loss>(Net::output_size);
    constexpr bool fits = size >= 1 && size <= Net::output_size;
    static_assert(
        fits,
        "sinter: target_size of a loss is how many numbers it compares a row of outputs with: at least 1, and at "
        "most as many as the network has outputs");
    constexpr bool positions = detail::LabelsPositions<Loss>;
    constexpr bool scaled = positions && numbers && detail::rows_need_scale<Targets>;
    static_assert(!scaled,
                  "sinter: labels of steps or pixels are rows of floating numbers: rows of integers would be scaled as "
                  "the inputs are");
    constexpr bool on_host = [] {
      if constexpr (positions && numbers)
        return std::is_same_v<typename Targets::Space, HostMemory>;
      else
        return true;
    }();
    static_assert(on_host,
                  "sinter: labels of steps or pixels are read on the host: give them in its memory, for Cuda as well");
    if constexpr (numbers && fits && detail::has_model<Net> && positions)
      static_assert(has_rows_of<Targets, Needed>,
                    "sinter: the targets do not have one label for each step or pixel: see has_rows_of<given, needed>");
    else if constexpr (numbers && fits && detail::has_model<Net>)
      static_assert(
          has_rows_of<Targets, Needed>,
          "sinter: the targets do not have the shape of the network's output: see has_rows_of<given, needed>");
    return on_host && fits && numbers && !scaled && has_rows_of<Targets, Needed>;
  }
}

SINTER_NAMESPACE_END
