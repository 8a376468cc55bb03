// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "sinter/core/shape.hpp"
#include "sinter/loss/cross_entropy.hpp"
#include "sinter/loss/per_position.hpp"
#include "sinter/model/model_and_scalar.hpp"
#include "sinter/train/check_loss.hpp"
#include "sinter/train/evaluate.hpp"
#include "sinter/train/metrics.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

template <class Loss>
constexpr bool takes_labels() {
  if constexpr (names_target<Loss>)
    return std::is_same_v<typename Loss::Target, ClassTarget>;
  else
    return false;
}
template <class Net>
constexpr Dims dims_of_outputs = ModelAndScalar<Net>::Model::output_dims;

/// The loss of each position is checked as that of a network with the outputs of one position.
template <class Model, class Positions, int Classes, ClassOrder Order, class Loss, int first, int count>
struct CheckedPart<Model, PerPosition<Positions, Classes, Order, Loss>, first, count> {
  static constexpr Mismatches found = [] {
    Mismatches of_all = mismatches<Model, Loss, first, count>();
    of_all.other_classes = Model::valid && !fits_classes<Loss, Classes>;
    of_all.other_outputs = Model::valid && !fits_outputs<Loss, Classes>;
    return of_all;
  }();
};
template <class Model, class Positions, int Classes, ClassOrder Order, class Loss>
struct CheckedLoss<Model, PerPosition<Positions, Classes, Order, Loss>> {
  static constexpr bool own_network =
      !Model::valid || Model::output_dims == PerPosition<Positions, Classes, Order, Loss>::outputs;
  static constexpr bool fits_heads = true;
  static constexpr Mismatches found =
      CheckedPart<Model, PerPosition<Positions, Classes, Order, Loss>, 0, Model::output_dims.size()>::found;
};

/// The shape of one output of several.
template <class Net, NameOrNumber Head>
constexpr Dims dims_of_head() {
  using Of = HeadsOf<Net>;
  constexpr bool known = is_one_of<Head, typename Of::Names>;
  static_assert(is_one_of<Head, typename Of::Names>,
                "sinter: the network has no head of that name or number: see is_one_of<given, heads>");
  return output_parts<typename Of::Model>[known ? static_cast<std::size_t>(Of::template index_of<Head>) : 0].dims;
}

template <Dims out, class Loss>
constexpr auto at_steps(const Loss& loss) {
  constexpr bool labels = takes_labels<Loss>(), steps = out.rank == 2;
  static_assert(labels,
                "sinter: at_each_step<Net>(..) takes a loss of classes: CrossEntropyLoss{}; other losses compare all "
                "numbers of a row as they are");
  static_assert(steps,
                "sinter: at_each_step<Net>(..) takes a network whose outputs are [Time, Classes], such as one that "
                "ends in PositionwiseLinear; for images there is at_each_pixel<Net>(..)");
  if constexpr (labels && steps)
    return PerPosition<Shape<out.channels>, out.width, ClassOrder::classes_last, Loss>(loss);
  else
    return CrossEntropyLoss{};
}
template <Dims out, class Loss>
constexpr auto at_pixels(const Loss& loss) {
  constexpr bool labels = takes_labels<Loss>(), pixels = out.rank > 1;
  static_assert(labels,
                "sinter: at_each_pixel<Net>(..) takes a loss of classes: CrossEntropyLoss{}; other losses compare "
                "all numbers of a row as they are");
  static_assert(pixels,
                "sinter: at_each_pixel<Net>(..) takes a network whose outputs are [Classes, Height, Width] or "
                "[Classes, Length], such as one that ends in a convolution");
  if constexpr (labels && out.rank == 3)
    return PerPosition<Shape<out.height, out.width>, out.channels, ClassOrder::classes_first, Loss>(loss);
  else if constexpr (labels && pixels)
    return PerPosition<Shape<out.width>, out.channels, ClassOrder::classes_first, Loss>(loss);
  else
    return CrossEntropyLoss{};
}

}  // namespace detail

/// A loss of classes at each step of a sequence, for a network with outputs [Time, Classes], the scores of each step:
///
///     struct Tagger : Sequential<Input<40>, Embedding<5000, 32>, LSTM<48, Bidirectional>, PositionwiseLinear<9>> {};
///     fit(net, dataset(words, tags), at_each_step<Tagger>(CrossEntropyLoss{}), Adam{}, ..);
///
/// Targets are rows of labels, [rows][Time], as floating numbers. Net is a model or a Network, and the loss
/// CrossEntropyLoss, WeightedCrossEntropyLoss<Classes> (whose `ignore_index` leaves steps out) or NLLLoss.
template <class Net, class Loss, class Distinct = detail::DistinctOf<Net>>
constexpr auto at_each_step(const Loss& loss) {
  return detail::at_steps<detail::dims_of_outputs<Net>>(loss);
}
/// The same for one of several Heads, by its number or name: at_each_step<Net, "tags">(CrossEntropyLoss{}) is a loss of
/// head_losses<Net>(..).
template <class Net, NameOrNumber Head, class Loss, class Distinct = detail::DistinctOf<Net>>
constexpr auto at_each_step(const Loss& loss) {
  return detail::at_steps<detail::dims_of_head<Net, Head>()>(loss);
}

/// A loss of classes at each pixel of an image, for a network with outputs [Classes, Height, Width], or at each place
/// of a series, for [Classes, Length]: as PyTorch's CrossEntropyLoss for [N, C, d1, ..]. Targets are rows of labels,
/// [rows][Height, Width], as floating numbers; see at_each_step.
template <class Net, class Loss, class Distinct = detail::DistinctOf<Net>>
constexpr auto at_each_pixel(const Loss& loss) {
  return detail::at_pixels<detail::dims_of_outputs<Net>>(loss);
}
/// The same for one of several Heads, by its number or name: at_each_pixel<Net, "mask">(CrossEntropyLoss{}).
template <class Net, NameOrNumber Head, class Loss, class Distinct = detail::DistinctOf<Net>>
constexpr auto at_each_pixel(const Loss& loss) {
  return detail::at_pixels<detail::dims_of_head<Net, Head>()>(loss);
}

/// The fraction of positions whose largest output is at the label, those left out that the loss ignores:
///     const double right = score(net, test, at_each_step<Tagger>(CrossEntropyLoss{}));
/// NaN if none counts. Fails as evaluate.
template <class Net, Dataset D, class Positions, int Classes, ClassOrder Order, class Loss>
double score(const Net& net, const D& data, const PerPosition<Positions, Classes, Order, Loss>& loss,
             EvaluateOptions options = {}) {
  using Given = PerPosition<Positions, Classes, Order, Loss>;
  using T = typename Net::Scalar;
  if constexpr (check_inputs<Net, inputs_of<D>>() && check_scale<D>() && check_loss<typename Net::Model, Given>() &&
                check_targets<Net, Given, targets_of<D>>()) {
    detail::check_measurable<Net>(data, "score");
    detail::check_chunks_of<Net>(data.size(), options.chunks, "score");
    detail::check_loss_for<Net>(loss);
    detail::check_targets_for(loss, batch_targets(data), Net::output_size);
    struct Row {
      std::int32_t right, judged;
    };
    const auto targets = batch_targets(data);
    std::vector<Row> rows(data.size());
    const auto judge = [&](std::size_t first, const T* y, std::size_t count) {
      std::vector<T> labels(Positions::size);
      for (std::size_t row = first; row < first + count; ++row, y += Net::output_size) {
        targets.copy_row(row, labels.data());
        const T* const wanted = labels.data();
        rows[row] = {loss.count_right(y, wanted), loss.count_judged(wanted)};
      }
    };
    detail::forward_all(net, data, detail::forwarded_rows(net, data.size()), options.chunks, judge, rows.data());
    double right = 0, judged = 0;
    for (const Row& row : rows) right += row.right, judged += row.judged;
    return right / judged;
  } else {
    return 0;
  }
}

/// How often positions of each class were classified as each class, those left out that the loss ignores:
///     confusion_matrix(net, test, at_each_pixel<Segmenter>(CrossEntropyLoss{})).mean_iou()
/// Fails as evaluate.
template <class Net, Dataset D, class Positions, int Classes, ClassOrder Order, class Loss>
ConfusionMatrix confusion_matrix(const Net& net, const D& data,
                                 const PerPosition<Positions, Classes, Order, Loss>& loss) {
  using Given = PerPosition<Positions, Classes, Order, Loss>;
  using T = typename Net::Scalar;
  ConfusionMatrix matrix(Classes);
  if constexpr (check_inputs<Net, inputs_of<D>>() && check_scale<D>() && check_loss<typename Net::Model, Given>() &&
                check_targets<Net, Given, targets_of<D>>()) {
    detail::check_measurable<Net>(data, "confusion_matrix");
    detail::check_loss_for<Net>(loss);
    const auto targets = batch_targets(data);
    detail::check_targets_for(loss, targets, Net::output_size);
    constexpr std::size_t positions = Positions::size;
    std::vector<int> answers(data.size() * positions);
    const auto answer = [&](std::size_t first, const T* y, std::size_t count) {
      for (std::size_t row = first; row < first + count; ++row, y += Net::output_size)
        for (int p = 0; p < Positions::size; ++p)
          answers[row * positions + static_cast<std::size_t>(p)] = loss.answer_at(p, y);
    };
    detail::forward_all(net, data, answer, answers.data(), positions);
    std::vector<T> labels(positions);
    for (std::size_t row = 0; row < data.size(); ++row) {
      targets.copy_row(row, labels.data());
      for (std::size_t p = 0; p < positions; ++p)
        if (!loss.leaves_out(labels[p])) matrix.add(static_cast<int>(labels[p]), answers[row * positions + p]);
    }
  }
  return matrix;
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::at_each_pixel;
using internal::at_each_step;
using internal::confusion_matrix;
}  // namespace sinter
