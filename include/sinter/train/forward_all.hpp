// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sinter/core/aligned.hpp"
#include "sinter/data/batch.hpp"
#include "sinter/data/dataset.hpp"
#include "sinter/data/row_range.hpp"
#include "sinter/device/engine.hpp"
#include "sinter/kernels/carried_states.hpp"
#include "sinter/kernels/steps.hpp"
#include "sinter/train/chunks.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

inline constexpr std::size_t rows_at_once = 64;

/// The working memory of one thread that forwards a dataset.
template <class Net>
struct PredictionPart {
  explicit PredictionPart(const typename Net::Device& device) : workspace(device, rows_at_once) {}
  typename Net::Engine::Workspace workspace;
  AlignedArray<typename Net::Scalar> output{rows_at_once * Net::output_size};
};

/// Which rows of a dataset are forwarded here: all, or, on Ranks, a range for each rank.
template <class Net>
auto forwarded_rows([[maybe_unused]] const Net& net, [[maybe_unused]] std::size_t size) {
  if constexpr (requires { net.device().forwarded_rows(net, size); })
    return net.device().forwarded_rows(net, size);
  else
    return ReadsAll{};
}

/// Sequences in chunks, whose states pass from each one to the next, as forward_all.
template <class Net, Dataset D, class Each>
void forward_chunks(const Net& net, const D& data, std::size_t chunks, Each&& each) {
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

/// Forwards a dataset on the threads of the network's device, some rows at a time: each(first row, outputs, count),
/// called from several threads, each row once. It writes `count_of_row` values for each row to `results`, which then
/// has those of all rows. With `chunks` > 1, that many consecutive rows are a sequence.
template <class Net, Dataset D, class Shared, class Each, class Value>
void forward_all(const Net& net, const D& data, const Shared& shared, [[maybe_unused]] std::size_t chunks, Each&& each,
                 Value* results, std::size_t count_of_row = 1) {
  using Engine = typename Net::Engine;
  if constexpr (!KeepsData<Engine> && carries_states<Engine> && CarriedNumbers<typename Net::Ops>::size > 0)
    if (chunks > 1) return forward_chunks(net, data, chunks, each);
  if constexpr (KeepsData<Engine>) {
    Engine engine(net.device());
    const auto kept = engine.keep(data);
    const std::size_t at_once = rows_of_call(data.size(), chunks);
    AlignedArray<typename Net::Scalar> y(at_once * Net::output_size);
    for (std::size_t i = 0; i < data.size(); i += at_once) {
      const std::size_t n = std::min(at_once, data.size() - i);
      engine.predict(net.data(), kept, i, n, y.data(), chunks);
      each(i, static_cast<const typename Net::Scalar*>(y.data()), n);
    }
  } else {
    const Engine engine(net.device());
    const RowRange own = shared.rows_to_read(data.size());
    std::vector<PredictionPart<Net>> parts(static_cast<std::size_t>(engine.threads()),
                                           PredictionPart<Net>(net.device()));
    engine.for_each_part(own.last - own.first, [&](int worker, std::size_t first, std::size_t count) {
      auto& part = parts[static_cast<std::size_t>(worker)];
      first += own.first;
      for (std::size_t i = first; i < first + count; i += rows_at_once) {
        const std::size_t n = std::min(rows_at_once, first + count - i);
        Engine::forward_tiles(net.data(), BatchInputs<inputs_of<D>>{data.inputs(), {nullptr, i}, normalize_of(data)}, n,
                              part.workspace, part.output.data());
        each(i, static_cast<const typename Net::Scalar*>(part.output.data()), n);
      }
    });
    shared.gather_rows(results, data.size(), count_of_row);
  }
}
template <class Net, Dataset D, class Each, class Value>
void forward_all(const Net& net, const D& data, Each&& each, Value* results, std::size_t count_of_row = 1) {
  forward_all(net, data, forwarded_rows(net, data.size()), 1, each, results, count_of_row);
}

}  // namespace detail

SINTER_NAMESPACE_END
