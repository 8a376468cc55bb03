// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "sinter/core/aligned.hpp"
#include "sinter/data/batch.hpp"
#include "sinter/data/dataset.hpp"
#include "sinter/data/row_range.hpp"
#include "sinter/device/engine.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

inline constexpr std::size_t rows_at_once = 64;

/// What one thread needs to forward a dataset.
template <class Net>
struct PredictionPart {
  explicit PredictionPart(const typename Net::Device& device) : workspace(device, rows_at_once) {}
  typename Net::Engine::Workspace workspace;
  AlignedArray<typename Net::Scalar> output{rows_at_once * Net::output_size};
};

/// Who forwards which rows of a dataset: all here, or on Ranks each rank a stretch.
template <class Net>
auto forwarded_rows([[maybe_unused]] const Net& net, [[maybe_unused]] std::size_t size) {
  if constexpr (requires { net.device().forwarded_rows(net, size); })
    return net.device().forwarded_rows(net, size);
  else
    return ReadsAll{};
}

/// Forwards a dataset on the threads of the network's device, some rows at a time: each(first row, outputs, count),
/// called from several threads, each row once. It writes `count_of_row` values for each row to `results`, which then
/// has those of all rows.
template <class Net, Dataset D, class Shared, class Each, class Value>
void forward_all(const Net& net, const D& data, const Shared& shared, Each&& each, Value* results,
                 std::size_t count_of_row = 1) {
  using Engine = typename Net::Engine;
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
  forward_all(net, data, forwarded_rows(net, data.size()), each, results, count_of_row);
}

}  // namespace detail

SINTER_NAMESPACE_END
