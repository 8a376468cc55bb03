// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sinter/loss/mse.hpp"
#include "sinter/loss/target.hpp"
#include "sinter/network/any_of.hpp"
#include "sinter/train/evaluate.hpp"
#include "sinter/train/fit.hpp"
#include "sinter/train/regression.hpp"

SINTER_NAMESPACE_BEGIN

/// What predict() returns for a network chosen at run time: rows [rows][columns] of outputs.
template <class T>
struct Predictions {
  std::vector<T> numbers;
  std::size_t rows = 0, columns = 0;
  const T& operator()(std::size_t row, int column) const {
    return numbers[row * columns + static_cast<std::size_t>(column)];
  }
};

namespace detail {
/// Rows that one network of an AnyOf reads and another does not: the shape of the inputs, and of targets that are rows
/// as the loss compares them with the outputs.
template <class Net, class D>
inline constexpr bool reads_rows_of = has_rows_of<inputs_of<D>, typename Net::InputRow>;
template <class Net, class D, class Loss>
inline constexpr bool reads_data =
    reads_rows_of<Net, D> && (has_labels<D> || (target_size<Loss>(Net::output_size) <= Net::output_size &&
                                                has_rows_of<targets_of<D>, target_row<Loss, typename Net::OutputRow>>));
template <class Net, class D>
inline constexpr bool reads_data<Net, D, void> = reads_rows_of<Net, D>;
template <class Any, class D, class Loss, std::size_t... Index>
constexpr bool one_reads(std::index_sequence<Index...>) {
  return (reads_data<typename Any::template At<Index>, D, Loss> || ...);
}

template <class View>
int numbers_in_row() {
  if constexpr (Labels<View>)
    return 0;
  else
    return View::Shape::size;
}
[[noreturn]] SINTER_COLD inline void fail_rows(const char* who, NetworkSizes given, std::size_t index,
                                               NetworkSizes net) {
  fail(std::string(who) + " was given rows of " + std::to_string(given.inputs) + " numbers" +
       (given.outputs ? " with targets of " + std::to_string(given.outputs) : "") +
       ", and the network chosen, number " + std::to_string(index) + ", has " + std::to_string(net.inputs) +
       " inputs and " + std::to_string(net.outputs) +
       " outputs, or another shape of as many; choose the network by the rows");
}

/// f(net) with the chosen network, if it reads the data, with their targets as `Loss` compares them unless that is
/// void; else an error. At least one of the networks must read them.
template <class Loss, class Result, class D, class Any, class F>
Result run_on_data(const char* who, Any& any, F&& f) {
  constexpr bool read = one_reads<std::remove_const_t<Any>, D, Loss>(std::make_index_sequence<Any::count>{});
  static_assert(
      read,
      "sinter: none of the networks of this AnyOf reads rows of that shape, or has outputs of that of the targets");
  if constexpr (read)
    return any.run([&](auto& net) -> Result {
      using Net = std::remove_cvref_t<decltype(net)>;
      if constexpr (reads_data<Net, D, Loss>)
        return f(net);
      else
        fail_rows(who, {inputs_of<D>::Shape::size, numbers_in_row<targets_of<D>>()}, any.index(),
                  Any::sizes[any.index()]);
    });
  else
    return {};
}
}  // namespace detail

namespace choices {
/// Trains the chosen network, as fit() of a network does. Data that it does not read are a run-time error; if none of
/// the networks reads them, the program does not compile. The same holds for the functions below.
template <class... Nets, Dataset D, class Loss, class Optimizer, class... Callbacks>
History fit(
    AnyNetworkOf<Nets...>& any, const D& train, Loss loss, Optimizer optimizer,
    detail::fit_has_batch_size_epochs_validation_held_out_shuffle_drop_last_interval_first_epoch_chunks<D> options = {},
    Callbacks&&... callbacks) {
  return detail::run_on_data<Loss, History, D>(
      "fit", any, [&](auto& net) { return fit(net, train, loss, optimizer, options, callbacks...); });
}
}  // namespace choices
/// evaluate() of the chosen network.
template <class... Nets, Dataset D, class Loss>
Evaluation evaluate(const AnyNetworkOf<Nets...>& any, const D& data, const Loss& loss) {
  return detail::run_on_data<Loss, Evaluation, D>("evaluate", any,
                                                  [&](const auto& net) { return evaluate(net, data, loss); });
}
/// score() of the chosen network.
template <class... Nets, Dataset D>
double score(const AnyNetworkOf<Nets...>& any, const D& data) {
  return detail::run_on_data<void, double, D>("score", any, [&](const auto& net) { return score(net, data); });
}
/// regression() of the chosen network.
template <class... Nets, Dataset D>
RegressionMetrics regression(const AnyNetworkOf<Nets...>& any, const D& data) {
  return detail::run_on_data<MSELoss, RegressionMetrics, D>("regression", any,
                                                            [&](const auto& net) { return regression(net, data); });
}
/// predict() of the chosen network, as rows whose length is known at run time.
template <class... Nets, Dataset D>
auto predict(const AnyNetworkOf<Nets...>& any, const D& data) {
  using T = std::common_type_t<typename Nets::Scalar...>;
  return detail::run_on_data<void, Predictions<T>, D>("predict", any, [&](const auto& net) {
    const auto y = predict(net, data);
    constexpr std::size_t n = static_cast<std::size_t>(std::remove_cvref_t<decltype(net)>::output_size);
    return Predictions<T>{{y.data(), y.data() + y.rows() * n}, y.rows(), n};
  });
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::evaluate;
using internal::predict;
using internal::Predictions;
using internal::regression;
using internal::score;
}  // namespace sinter
