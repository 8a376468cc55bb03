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
#include "sinter/data/records.hpp"
#include "sinter/data/viewed.hpp"
#include "sinter/network/join_inputs.hpp"
#include "sinter/network/model_of.hpp"
#include "sinter/network/network.hpp"
#include "sinter/train/batch_weight.hpp"
#include "sinter/train/check.hpp"
#include "sinter/train/check_embedded.hpp"
#include "sinter/train/check_loss.hpp"
#include "sinter/train/forward_all.hpp"

SINTER_NAMESPACE_BEGIN

/// Means over the rows of a dataset: `auto [loss, accuracy] = evaluate(net, test, NLLLoss{})`. Accuracy is the fraction
/// of rows whose largest output is at the label, and of at_each_step() and at_each_pixel() that of steps or pixels,
/// those left out that the loss ignores; NaN where targets are no classes.
struct Evaluation {
  double loss = 0;
  double accuracy = std::numeric_limits<double>::quiet_NaN();
};

namespace detail {
/// Fails if a metric cannot be computed over a dataset: without rows, and if a number is not finite in the type of the
/// network.
template <class Net, Dataset D>
void check_measurable(const D& data, const char* metric) {
  check_size(data);
  if (data.size() == 0) fail(joined({metric, " was given a dataset of 0 rows; give it 1 or more"}));
  check_finite<typename Net::Scalar>(data);
  check_embedded<typename Net::Model>(data);
}

/// The labels of a row: 1, or one for each position; 0 where targets are no classes.
template <class Loss>
inline constexpr int labels_of_row = [] {
  if constexpr (LabelsPositions<Loss>)
    return Loss::target_size;
  else
    return std::is_same_v<typename Loss::Target, ClassTarget> ? 1 : 0;
}();
/// Whether a device evaluates a loss on a dataset that it keeps. It neither divides by weights nor leaves out
/// positions.
template <class Net, class D, class Loss>
inline constexpr bool evaluated_on_device = [] {
  constexpr bool leaves_out = requires(const Loss& loss) {
    requires LabelsPositions<Loss>;
    loss.loss.ignore_index;
  };
  return KeepsData<typename Net::Engine> && !divides_by_weights<Loss, D> && !leaves_out;
}();

/// The means over `rows` rows, each with so many labels, of the sums of a device.
template <int Labels, class Sums>
Evaluation mean_of(const Sums& sums, std::size_t rows) {
  Evaluation mean;
  mean.loss = sums.loss / static_cast<double>(rows);
  if (Labels > 0) mean.accuracy = static_cast<double>(sums.right) / (static_cast<double>(rows) * Labels);
  return mean;
}
/// On what a device keeps of a dataset.
template <int Labels, class Net, class Kept, class Loss>
Evaluation evaluate_kept(typename Net::Engine& engine, const Net& net, const Kept& kept, const Loss& loss,
                         std::size_t chunks) {
  return mean_of<Labels>(engine.evaluate(net.data(), kept, loss, chunks), kept.size);
}

/// Sums over the rows judged so far, in their order.
struct EvaluationSums {
  double loss = 0, weight = 0;
  std::size_t right = 0, judged = 0;  // of labels

  /// Adds the sums of a device over `rows` rows.
  template <class Sums>
  void add(const Sums& sums, std::size_t rows) {
    loss += sums.loss;
    weight += static_cast<double>(rows);
    right += static_cast<std::size_t>(sums.right);
    judged += rows;
  }
  template <bool Classes>
  Evaluation means() const {
    Evaluation result;
    result.loss = weight > 0 ? loss / weight : loss;
    if (Classes) result.accuracy = static_cast<double>(right) / static_cast<double>(judged);
    return result;
  }
};

/// Row by row on the threads of the device.
template <class Net, Dataset D, class Shared, class Loss>
void add_rows(const Net& net, const D& data, const Shared& shared, const Loss& loss, EvaluationSums& sums,
              std::size_t chunks = 1) {
  using T = typename Net::Scalar;
  constexpr int n = Net::output_size;
  constexpr bool classes = std::is_same_v<typename Loss::Target, ClassTarget>;
  struct Row {
    T loss;
    T right;
  };
  const auto targets = batch_targets(data);
  decltype(auto) own = loss_of_batch(loss, targets, data.size());
  std::vector<Row> rows(data.size());  // so that the sums have one order
  const auto judge = [&](std::size_t first, const T* y, std::size_t count) {
    [[maybe_unused]] std::vector<T> wanted(classes ? 0 : n);
    for (std::size_t i = first; i < first + count; ++i, y += n) {
      if constexpr (classes) {
        const auto label = targets.label(i);
        rows[i].loss = row_weight<T>(targets, i) * own.forward(y, n, static_cast<T>(label));
        rows[i].right = T(!ignores(loss, label) && predicted_class(y, n) == label);
      } else {
        targets.copy_row(i, wanted.data());
        rows[i].loss = row_weight<T>(targets, i) * own.forward(y, n, static_cast<const T*>(wanted.data()));
        if constexpr (LabelsPositions<Loss>) rows[i].right = static_cast<T>(loss.count_right(y, wanted.data()));
      }
    }
  };
  forward_all(net, data, shared, chunks, judge, rows.data());
  for (const Row& row : rows) {
    sums.loss += static_cast<double>(row.loss);
    if constexpr (labels_of_row<Loss> > 0) sums.right += static_cast<std::size_t>(row.right);
  }
  sums.weight = weight_of_batch(loss, targets, data.size(), sums.weight);
  if constexpr (classes)
    for (const auto label : data.targets()) sums.judged += !ignores(loss, label);
  if constexpr (LabelsPositions<Loss>) {
    std::vector<T> labels(Loss::target_size);
    for (std::size_t i = 0; i < data.size(); ++i) {
      targets.copy_row(i, labels.data());
      sums.judged += static_cast<std::size_t>(loss.count_judged(static_cast<const T*>(labels.data())));
    }
  }
}

/// Evaluates a loss and a dataset that have been checked.
template <class Net, Dataset D, class Loss>
Evaluation evaluate_checked(const Net& net, const D& data, const Loss& loss, std::size_t chunks = 1) {
  constexpr int labels = labels_of_row<Loss>;
  if constexpr (evaluated_on_device<Net, D, Loss>) {
    typename Net::Engine engine(net.device());
    const auto kept = engine.keep(data);
    return evaluate_kept<labels>(engine, net, kept, loss, chunks);
  } else {
    EvaluationSums sums;
    add_rows(net, data, forwarded_rows(net, data.size()), loss, sums, chunks);
    return sums.means<(labels > 0)>();
  }
}

/// How many rows have the largest output at their label.
template <class Net, Dataset D, class Shared>
std::size_t count_right(const Net& net, const D& data, const Shared& shared, std::size_t chunks = 1) {
  using T = typename Net::Scalar;
  constexpr int n = Net::output_size;
  const BatchTargets<targets_of<D>> targets{data.targets()};
  std::vector<unsigned char> right(data.size());
  const auto judge = [&](std::size_t first, const T* y, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i, y += n) right[i] = predicted_class(y, n) == targets.label(i);
  };
  forward_all(net, data, shared, chunks, judge, right.data());
  return static_cast<std::size_t>(std::ranges::count(right, 1));
}

/// The outputs for every row, written to `to` [rows][output].
template <class Net, Dataset D, class Shared>
void predict_rows(const Net& net, const D& data, const Shared& shared, typename Net::Scalar* to,
                  std::size_t chunks = 1) {
  using T = typename Net::Scalar;
  constexpr std::size_t n = static_cast<std::size_t>(Net::output_size);
  const auto copy = [&](std::size_t first, const T* y, std::size_t count) {
    std::copy_n(y, count * n, to + first * n);
  };
  forward_all(net, data, shared, chunks, copy, to, n);
}
}  // namespace detail

/// The mean loss and the accuracy over a dataset. Fails on an empty one, on a label out of range, and on a number in
/// the data that is not finite. A row with an output that is NaN is not right, and makes the loss NaN.
template <class Net, Dataset D, class Loss>
Evaluation evaluate(const Net& net, const D& given, const Loss& loss, EvaluateOptions options = {}) {
  if constexpr (!check_is_loss<Loss, typename Net::Scalar, true>()) {
    return {};
  } else if constexpr (check_inputs<Net, inputs_of<D>>() && check_scale<D>() &&
                       check_loss<typename Net::Model, Loss>() && check_targets<Net, Loss, targets_of<D>>()) {
    const auto& data = detail::viewed(given);
    detail::check_measurable<Net>(data, "evaluate");
    detail::check_chunks_of<Net>(data.size(), options.chunks, "evaluate");
    detail::check_loss_for<Net>(loss);
    detail::check_targets_for(loss, batch_targets(data), Net::output_size);
    return detail::evaluate_checked(net, data, loss, options.chunks);
  } else
    return {};
}

/// Without a loss: refused with a message.
template <class Net, TrainingData D>
Evaluation evaluate(const Net&, const D&) {
  static_assert(!TrainingData<D>,
                "sinter: evaluate takes a loss: evaluate(net, data, CrossEntropyLoss{}); the fraction that is right "
                "alone is score(net, data)");
  return {};
}

/// With the loss before the data: refused with a message.
template <class Net, class Loss, TrainingData D>
  requires detail::names_target<Loss>
Evaluation evaluate(const Net&, const Loss&, const D&) {
  static_assert(!TrainingData<D>, "sinter: the loss comes after the data: evaluate(net, data, CrossEntropyLoss{})");
  return {};
}

/// With the data before the network: refused with a message.
template <TrainingData D, detail::IsNetwork Net, class Loss>
Evaluation evaluate(const D&, const Net&, const Loss&) {
  static_assert(!TrainingData<D>, "sinter: the network comes before the data: evaluate(net, data, CrossEntropyLoss{})");
  return {};
}
/// With the data before the network: refused with a message.
template <TrainingData D, detail::IsNetwork Net>
double score(const D&, const Net&) {
  static_assert(!TrainingData<D>, "sinter: the network comes before the data: score(net, data)");
  return {};
}
/// With the data before the network: refused with a message.
template <TrainingData D, detail::IsNetwork Net>
Tensor<typename Net::Scalar, typename Net::OutputRow> predict(const D&, const Net&) {
  static_assert(!TrainingData<D>, "sinter: the network comes before the data: predict(net, data)");
  return {};
}

/// The fraction of rows whose largest output is at the label. A row with an output that is NaN is not right. Fails as
/// evaluate.
template <class Net, Dataset D>
double score(const Net& net, const D& given, EvaluateOptions options = {}) {
  if constexpr (check_inputs<Net, inputs_of<D>>() && check_scale<D>() && check_classes<Net, D>()) {
    const auto& data = detail::viewed(given);
    detail::check_measurable<Net>(data, "score");
    detail::check_chunks_of<Net>(data.size(), options.chunks, "score");
    check_labels(data.targets(), Net::output_size);
    const auto shared = detail::forwarded_rows(net, data.size());
    return static_cast<double>(detail::count_right(net, data, shared, options.chunks)) /
           static_cast<double>(data.size());
  } else {
    return 0;
  }
}

/// The outputs for every row of a dataset, [rows][output].
template <class Net, Dataset D>
Tensor<typename Net::Scalar, typename Net::OutputRow> predict(const Net& net, const D& given,
                                                              EvaluateOptions options = {}) {
  using T = typename Net::Scalar;
  check_inputs<Net, inputs_of<D>>();
  check_scale<D>();
  const auto& data = detail::viewed(given);
  check_size(data);
  normalize_of(data).template check<typename inputs_of<D>::Value>();
  detail::check_chunks_of<Net>(data.size(), options.chunks, "predict");
  Tensor<T, typename Net::OutputRow> all(data.size());
  detail::predict_rows(net, data, detail::forwarded_rows(net, data.size()), all.data(), options.chunks);
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
/// The same for a tensor.
template <class Net, class T, class S, class... Scale>
  requires(std::is_same_v<Scale, Normalize> && ...)
Tensor<typename Net::Scalar, typename Net::OutputRow> predict(const Net& net, const Tensor<T, S>& x,
                                                              const Scale&... normalize) {
  return predict(net, x.view(), normalize...);
}
/// For several inputs, in their order or by name(): predict(net, pictures, numbers).
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

/// For numbers without the shape of a row: refused with a message.
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
