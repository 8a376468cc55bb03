// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "sinter/core/aligned.hpp"
#include "sinter/device/host.hpp"
#include "sinter/int8/engine.hpp"
#include "sinter/int8/prepared.hpp"

SINTER_NAMESPACE_BEGIN

namespace int8 {

/// An engine with memory of its own, by the threads of the host.
template <class Model, class Isa>
class HostEngine {
  using Computed = Engine<Model, Isa, Prepared<Model, Isa>>;

 public:
  using Device = Host;
  static constexpr std::size_t tile = Computed::tile;

  /// The working memory of one thread.
  struct Workspace {
    explicit Workspace(const Device&, std::size_t most_rows = tile)
        : rows(std::min(most_rows, tile)), values(Computed::value_bytes(rows)), operand(Computed::operands(rows)) {}
    std::size_t rows;
    AlignedArray<std::uint8_t> values;
    AlignedArray<typename Isa::Operand> operand;
  };

  explicit HostEngine(Device device) : device_(std::move(device)) {}
  int threads() const { return device_.pool.size(); }
  /// work(thread, first, count): rows [0, size) in parts, spread over the threads of the device.
  template <class Work>
  void for_each_part(std::size_t size, const Work& work) const {
    const std::size_t tiles = (size + tile - 1) / tile, parts = std::min(tiles, threads() == 1 ? 1 : 8 * count());
    device_.pool.run(static_cast<int>(parts), [&](int thread, int part) {
      const auto begin = [&](int i) { return tiles * static_cast<std::size_t>(i) / parts * tile; };
      const std::size_t first = begin(part), last = std::min(size, begin(part + 1));
      work(thread, first, last - first);
    });
  }

  /// y [batch][output] of a batch, on the calling thread. No allocation.
  template <class View>
  static void forward_tiles(const Prepared<Model, Isa>* weights, const BatchInputs<View>& inputs, std::size_t batch,
                            Workspace& workspace, float* y) {
    typename Computed::Workspace memory{workspace.rows, workspace.values, workspace.operand};
    Computed::forward_tiles(weights, inputs, batch, memory, y);
  }

 private:
  std::size_t count() const { return static_cast<std::size_t>(threads()); }

  Device device_;
};

}  // namespace int8

SINTER_NAMESPACE_END
