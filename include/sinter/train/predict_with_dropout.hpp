// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "sinter/core/tensor.hpp"
#include "sinter/data/batch.hpp"
#include "sinter/data/check.hpp"
#include "sinter/kernels/host/engine.hpp"
#include "sinter/kernels/host/masked_inference.hpp"
#include "sinter/kernels/reference/device_engine.hpp"
#include "sinter/kernels/step_arguments.hpp"
#include "sinter/network/model_of.hpp"
#include "sinter/train/check.hpp"
#include "sinter/train/forward_all.hpp"
#include "sinter/train/mask_draw.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// What one thread forwards rows with, masks included. Only these devices have it.
template <class Engine>
inline constexpr bool forwards_masked = false;
template <class Engine>
class MaskedForward;

template <class Model, class T, class Isa>
inline constexpr bool forwards_masked<HostEngine<Model, T, Isa>> = true;
template <class Model, class T, class Isa>
class MaskedForward<HostEngine<Model, T, Isa>> : public MaskedInference<Model, T, Isa> {
 public:
  template <class Net>
  explicit MaskedForward(const Net& net) : MaskedInference<Model, T, Isa>(net.data()) {}
};

template <class Model, class T>
inline constexpr bool forwards_masked<ReferenceDeviceEngine<Model, T>> = true;
template <class Model, class T>
class MaskedForward<ReferenceDeviceEngine<Model, T>> {
  using Engine = ReferenceDeviceEngine<Model, T>;

 public:
  template <class Net>
  explicit MaskedForward(const Net& net) : parameters_(net.data()), workspace_(net.device()) {}
  template <class View>
  void forward(const TrainingBatch<BatchInputs<View>, NotGiven>& batch, T* y) {
    Engine::forward_masked(parameters_, batch, workspace_, y);
  }

 private:
  const T* parameters_;
  typename Engine::Workspace workspace_;
};

template <class Net, Dataset D>
void forward_all_masked(const Net& net, const D& data, MaskKey key, typename Net::Scalar* y) {
  using Engine = typename Net::Engine;
  const Engine engine(net.device());
  std::vector<MaskedForward<Engine>> parts(static_cast<std::size_t>(engine.threads()), MaskedForward<Engine>(net));
  engine.for_each_part(data.size(), [&](int worker, std::size_t begin, std::size_t count) {
    std::uint32_t samples[rows_at_once];
    for (std::size_t first = begin; first < begin + count; first += rows_at_once) {
      const std::size_t rows = std::min(rows_at_once, begin + count - first);
      std::iota(samples, samples + rows, static_cast<std::uint32_t>(first));
      parts[static_cast<std::size_t>(worker)].forward(
          TrainingBatch{.inputs = BatchInputs<inputs_of<D>>{data.inputs(), {nullptr, first}, normalize_of(data)},
                        .rows = rows,
                        .targets = not_given,
                        .samples = samples,
                        .key = key},
          y + first * static_cast<std::size_t>(Net::output_size));
    }
  });
}

}  // namespace detail

/// The outputs for every row of a dataset with dropout on, [rows][output]: the masks of draw number `draw`, which
/// depend on the network's seed and the number of the row besides, and not on threads. All else is as in predict. Many
/// draws say how certain the network is (Monte-Carlo dropout):
///
///     for (std::uint32_t draw = 0; draw < 50; ++draw) add(predict_with_dropout(net, x, draw));
template <class Net, Dataset D>
Tensor<typename Net::Scalar, typename Net::OutputRow> predict_with_dropout(const Net& net, const D& data,
                                                                           std::uint32_t draw) {
  constexpr bool masked = detail::forwards_masked<typename Net::Engine>;
  static_assert(masked,
                "sinter: predict_with_dropout runs on Host: make a Network<Model> of this network, and give it that");
  Tensor<typename Net::Scalar, typename Net::OutputRow> all(data.size());
  if constexpr (masked && check_inputs<Net, inputs_of<D>>() && check_scale<D>()) {
    check_size(data);
    normalize_of(data).template check<typename inputs_of<D>::Value>();
    detail::forward_all_masked(net, data, detail::key_of_draw({net.seed(), 0}, draw), all.data());
  }
  return all;
}

/// The same for rows without targets, a tensor or a view. Bytes come in a dataset, which says how they are scaled.
template <class Net, class T, class S>
Tensor<typename Net::Scalar, typename Net::OutputRow> predict_with_dropout(const Net& net, const TensorView<T, S>& x,
                                                                           std::uint32_t draw) {
  constexpr bool scaled = !needs_scale<T>;
  static_assert(scaled,
                "sinter: integers need a scale: predict_with_dropout(net, dataset(x, labels, "
                "Normalize::pixels(mean, deviation)), draw)");
  if constexpr (scaled && check_inputs<Net, TensorView<T, S>>()) {
    const std::vector<std::uint8_t> nothing(x.rows);
    return predict_with_dropout(net, dataset(x, nothing), draw);
  } else {
    return {};
  }
}
/// The same for a tensor.
template <class Net, class T, class S>
auto predict_with_dropout(const Net& net, const Tensor<T, S>& x, std::uint32_t draw) {
  return predict_with_dropout(net, x.view(), draw);
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::predict_with_dropout;
}  // namespace sinter
