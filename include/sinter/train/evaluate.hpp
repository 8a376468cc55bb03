// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "sinter/core/braced.hpp"
#include "sinter/core/predicted_class.hpp"
#include "sinter/core/text.hpp"
#include "sinter/data/batch.hpp"
#include "sinter/data/check.hpp"
#include "sinter/network/join_inputs.hpp"
#include "sinter/network/model_of.hpp"
#include "sinter/network/network.hpp"
#include "sinter/train/batch_weight.hpp"
#include "sinter/train/check.hpp"
#include "sinter/train/check_loss.hpp"
#include "sinter/train/chunks.hpp"

SINTER_NAMESPACE_BEGIN

/// Means over the rows of a dataset: `auto [loss, accuracy] = evaluate(net, test, NLLLoss{})`. Accuracy is the share of
/// rows whose largest output is at the label, those left out that the loss ignores; NaN where targets are no classes.
struct Evaluation {
  double loss = 0;
  double accuracy = std::numeric_limits<double>::quiet_NaN();
};

namespace detail {
/// Fails where a metric cannot be taken over a dataset: without rows, and where a number is not finite.
template <Dataset D>
void check_measurable(const D& data, const char* metric) {
  check_size(data);
  if (data.size() == 0) fail(joined({metric, " was given a dataset of 0 rows; give it 1 or more"}));
  check_finite(data);
}

inline constexpr std::size_t rows_at_once = 64;

/// What one thread needs to forward a dataset.
template <class Net>
struct PredictionPart {
  explicit PredictionPart(const typename Net::Device& device) : workspace(device, rows_at_once) {}
  typename Net::Engine::Workspace workspace;
  AlignedArray<typename Net::Scalar> output{rows_at_once * Net::output_size};
};

/// Sequences in chunks, whose states pass from each one to the next, as forward_all.
template <class Net, Dataset D, class Each>
void forward_chunks(const Net& net, const D& data, Each&& each, std::size_t chunks) {
  using Engine = typename Net::Engine;
  const Engine engine(net.device());
  std::vector<PredictionPart<Net>> parts(static_cast<std::size_t>(engine.threads()), PredictionPart<Net>(net.device()));
  engine.for_each_part(data.size() / chunks, [&](int worker, std::size_t first, std::size_t count) {
    auto& part = parts[static_cast<std::size_t>(worker)];
    CarriedStates<typename Net::Scalar> states;
    states.carry(true);
    std::uint32_t rows[Engine::rows_carried];
    for (std::size_t i = first; i < first + count; i += Engine::rows_carried) {
      const std::size_t n = std::min(Engine::rows_carried, first + count - i);
      states.reset();
      for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
        for (std::size_t k = 0; k < n; ++k) rows[k] = static_cast<std::uint32_t>((i + k) * chunks + chunk);
        Engine::forward_carried(net.data(), BatchInputs<inputs_of<D>>{data.inputs(), {rows}, normalize_of(data)}, n,
                                part.workspace, states, part.output.data());
        for (std::size_t k = 0; k < n; ++k)
          each(std::size_t{rows[k]},
               static_cast<const typename Net::Scalar*>(part.output.data()) + k * Net::output_size, std::size_t{1});
      }
    }
  });
}

/// Forwards a dataset on the threads of the network's device, some rows at a time: each(first row, outputs, count).
/// Called from several threads, each row once.
template <class Net, Dataset D, class Each>
void forward_all(const Net& net, const D& data, Each&& each, [[maybe_unused]] std::size_t chunks = 1) {
  using Engine = typename Net::Engine;
  if constexpr (carries_states<Engine> && CarriedNumbers<typename Net::Ops>::size > 0)
    if (chunks > 1) return forward_chunks(net, data, each, chunks);
  if constexpr (KeepsData<Engine>) {
    constexpr std::size_t at_once = 16384;
    Engine engine(net.device());
    const auto kept = engine.keep(data);
    AlignedArray<typename Net::Scalar> y(std::min(at_once, data.size()) * Net::output_size);
    for (std::size_t i = 0; i < data.size(); i += at_once) {
      const std::size_t n = std::min(at_once, data.size() - i);
      engine.predict(net.data(), kept, i, n, y.data());
      each(i, static_cast<const typename Net::Scalar*>(y.data()), n);
    }
  } else {
    const Engine engine(net.device());
    std::vector<PredictionPart<Net>> parts(static_cast<std::size_t>(engine.threads()),
                                           PredictionPart<Net>(net.device()));
    engine.for_each_part(data.size(), [&](int worker, std::size_t first, std::size_t count) {
      auto& part = parts[static_cast<std::size_t>(worker)];
      for (std::size_t i = first; i < first + count; i += rows_at_once) {
        const std::size_t n = std::min(rows_at_once, first + count - i);
        Engine::forward_tiles(net.data(), BatchInputs<inputs_of<D>>{data.inputs(), {nullptr, i}, normalize_of(data)}, n,
                              part.workspace, part.output.data());
        each(i, static_cast<const typename Net::Scalar*>(part.output.data()), n);
      }
    });
  }
}

/// The means over so many rows of what a device has added up.
template <bool Classes, class Judgement>
Evaluation mean_of(const Judgement& judgement, std::size_t rows) {
  Evaluation mean;
  mean.loss = judgement.loss / static_cast<double>(rows);
  if (Classes) mean.accuracy = static_cast<double>(judgement.right) / static_cast<double>(rows);
  return mean;
}
/// On what a device keeps of a dataset.
template <bool Classes, class Net, class Kept, class Loss>
Evaluation evaluate_kept(typename Net::Engine& engine, const Net& net, const Kept& kept, const Loss& loss) {
  return mean_of<Classes>(engine.judge(net.data(), kept, loss), kept.size);
}

/// Row by row on the threads of the device.
template <class Net, Dataset D, class Loss>
Evaluation evaluate_rows(const Net& net, const D& data, const Loss& loss, std::size_t chunks) {
  using T = typename Net::Scalar;
  constexpr int n = Net::output_size;
  constexpr bool classes = std::is_same_v<typename Loss::Target, ClassTarget>;
  const auto targets = batch_targets(data);
  decltype(auto) own = loss_of_batch(loss, targets, data.size());
  std::vector<T> losses(data.size());  // one for each row, so that the sum has one order
  std::vector<unsigned char> right(classes ? data.size() : 0);
  forward_all(
      net, data,
      [&](std::size_t first, const T* y, std::size_t count) {
        [[maybe_unused]] std::vector<T> wanted(classes ? 0 : n);
        for (std::size_t i = 0; i < count; ++i, y += n) {
          if constexpr (classes) {
            const auto label = targets.label(first + i);
            losses[first + i] = row_weight<T>(targets, first + i) * own.forward(y, n, static_cast<T>(label));
            right[first + i] = !ignores(loss, label) && predicted_class(y, n) == label;
          } else {
            targets.copy_row(first + i, wanted.data());
            losses[first + i] =
                row_weight<T>(targets, first + i) * own.forward(y, n, static_cast<const T*>(wanted.data()));
          }
        }
      },
      chunks);
  Evaluation result;
  for (const T& x : losses) result.loss += static_cast<double>(x);
  const double weight = weight_of_batch(loss, targets, data.size());
  if (weight > 0) result.loss /= weight;
  if constexpr (classes) {
    std::size_t count = 0, judged = data.size();
    for (const auto r : right) count += r;
    for (const auto label : data.targets()) judged -= ignores(loss, label) ? 1 : 0;
    result.accuracy = static_cast<double>(count) / static_cast<double>(judged);
  }
  return result;
}

/// Of what has been checked.
template <class Net, Dataset D, class Loss>
Evaluation evaluate_checked(const Net& net, const D& data, const Loss& loss, std::size_t chunks = 1) {
  constexpr bool classes = std::is_same_v<typename Loss::Target, ClassTarget>;
  if constexpr (KeepsData<typename Net::Engine> && !divides_by_weights<Loss, D>) {
    typename Net::Engine engine(net.device());
    const auto kept = engine.keep(data);
    return evaluate_kept<classes>(engine, net, kept, loss);
  } else
    return evaluate_rows(net, data, loss, chunks);
}
}  // namespace detail

/// The mean loss and the accuracy over a dataset. Fails on an empty one, on a label out of range, and on a number in
/// the data that is not finite. A row with an output that is NaN is not right, and makes the loss NaN.
template <class Net, Dataset D, class Loss>
Evaluation evaluate(const Net& net, const D& data, const Loss& loss, EvaluateOptions options = {}) {
  if constexpr (!check_is_loss<Loss, typename Net::Scalar, true>()) {
    return {};
  } else if constexpr (check_inputs<Net, inputs_of<D>>() && check_scale<D>() &&
                       check_loss<typename Net::Model, Loss>() && check_targets<Net, Loss, targets_of<D>>()) {
    detail::check_measurable(data, "evaluate");
    detail::check_chunks_of<Net>(data.size(), options.chunks, "evaluate");
    detail::check_options(loss);
    detail::check_targets_for(loss, data.targets(), Net::output_size);
    return detail::evaluate_checked(net, data, loss, options.chunks);
  } else
    return {};
}

/// Without a loss: refused, in words.
template <class Net, Dataset D>
Evaluation evaluate(const Net&, const D&) {
  static_assert(!Dataset<D>,
                "sinter: evaluate takes a loss: evaluate(net, data, CrossEntropyLoss{}); the share that is right alone "
                "is score(net, data)");
  return {};
}

/// With the loss before the data: refused, in words.
template <class Net, class Loss, Dataset D>
  requires detail::names_target<Loss>
Evaluation evaluate(const Net&, const Loss&, const D&) {
  static_assert(!Dataset<D>, "sinter: the loss comes after the data: evaluate(net, data, CrossEntropyLoss{})");
  return {};
}

/// With the data before the network: refused, in words.
template <Dataset D, detail::IsNetwork Net, class Loss>
Evaluation evaluate(const D&, const Net&, const Loss&) {
  static_assert(!Dataset<D>, "sinter: the network comes before the data: evaluate(net, data, CrossEntropyLoss{})");
  return {};
}
/// With the data before the network: refused, in words.
template <Dataset D, detail::IsNetwork Net>
double score(const D&, const Net&) {
  static_assert(!Dataset<D>, "sinter: the network comes before the data: score(net, data)");
  return {};
}
/// With the data before the network: refused, in words.
template <Dataset D, detail::IsNetwork Net>
Tensor<typename Net::Scalar, typename Net::OutputRow> predict(const D&, const Net&) {
  static_assert(!Dataset<D>, "sinter: the network comes before the data: predict(net, data)");
  return {};
}

/// The share of rows whose largest output is at the label. A row with an output that is NaN is not right. Fails as
/// evaluate.
template <class Net, Dataset D>
double score(const Net& net, const D& data, EvaluateOptions options = {}) {
  if constexpr (check_inputs<Net, inputs_of<D>>() && check_scale<D>() && check_classes<Net, D>()) {
    using T = typename Net::Scalar;
    constexpr int n = Net::output_size;
    detail::check_measurable(data, "score");
    detail::check_chunks_of<Net>(data.size(), options.chunks, "score");
    check_labels(data.targets(), n);
    const BatchTargets<targets_of<D>> targets{data.targets()};
    std::vector<unsigned char> right(data.size());
    detail::forward_all(
        net, data,
        [&](std::size_t first, const T* y, std::size_t count) {
          for (std::size_t i = 0; i < count; ++i, y += n)
            right[first + i] = predicted_class(y, n) == targets.label(first + i);
        },
        options.chunks);
    std::size_t count = 0;
    for (const auto r : right) count += r;
    return static_cast<double>(count) / static_cast<double>(data.size());
  } else {
    return 0;
  }
}

/// The outputs for every row of a dataset, [rows][output].
template <class Net, Dataset D>
Tensor<typename Net::Scalar, typename Net::OutputRow> predict(const Net& net, const D& data,
                                                              EvaluateOptions options = {}) {
  using T = typename Net::Scalar;
  check_inputs<Net, inputs_of<D>>();
  check_scale<D>();
  check_size(data);
  detail::check_chunks_of<Net>(data.size(), options.chunks, "predict");
  Tensor<T, typename Net::OutputRow> all(data.size());
  detail::forward_all(
      net, data,
      [&](std::size_t first, const T* y, std::size_t count) {
        std::copy_n(y, count * Net::output_size, all.data() + first * Net::output_size);
      },
      options.chunks);
  return all;
}

/// The same for rows without targets: a tensor or a view, scaled by `normalize`. Bytes come with it.
template <class Net, class T, class S, class Memory>
Tensor<typename Net::Scalar, typename Net::OutputRow> predict(const Net& net, const TensorView<T, S, Memory>& x,
                                                              Normalize normalize) {
  const std::vector<std::uint8_t> nothing(x.rows);
  if constexpr (check_inputs<Net, TensorView<T, S, Memory>>())
    return predict(net, dataset(x, nothing, normalize));
  else
    return {};
}
/// Unscaled, which bytes are not.
template <class Net, class T, class S, class Memory>
Tensor<typename Net::Scalar, typename Net::OutputRow> predict(const Net& net, const TensorView<T, S, Memory>& x) {
  constexpr bool scaled = !needs_scale<T>;
  static_assert(scaled, "sinter: integers need a scale: predict(net, x, Normalize::pixels(mean, deviation))");
  return predict(net, x, Normalize{});
}
/// Of a tensor.
template <class Net, class T, class S, class... Scale>
  requires(std::is_same_v<Scale, Normalize> && ...)
Tensor<typename Net::Scalar, typename Net::OutputRow> predict(const Net& net, const Tensor<T, S>& x,
                                                              const Scale&... normalize) {
  return predict(net, x.view(), normalize...);
}
/// Of several inputs, in their order or by name(): predict(net, pictures, numbers).
template <class Net, class First, class Second, class... More>
  requires(detail::several_inputs<typename Net::Model> && !std::is_same_v<Second, Normalize>)
Tensor<typename Net::Scalar, typename Net::OutputRow> predict(const Net& net, const First& first, const Second& second,
                                                              const More&... more) {
  constexpr int count = 2 + int{sizeof...(More)};
  if constexpr (detail::check_given<Net, count, First, Second, More...>())
    return predict(net, join_inputs<Net>(first, second, more...));
  else
    return {};
}

/// Of numbers that do not say the shape of a row: refused, in words.
template <class Net, class Numbers = detail::Braced>
  requires(!Dataset<Numbers> && !detail::is_rows<Numbers> && requires(const Numbers& x) { x.data(), x.size(); })
Tensor<typename Net::Scalar, typename Net::OutputRow> predict(const Net&, const Numbers&) {
  static_assert(std::is_void_v<Numbers>,
                "sinter: predict takes rows that say their shape: predict(net, TensorView<const float, "
                "Shape<..>>::from(numbers)), or a Tensor or a dataset");
  return {};
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::evaluate;
using internal::Evaluation;
using internal::predict;
using internal::score;
}  // namespace sinter
