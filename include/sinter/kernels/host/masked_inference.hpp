// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "sinter/core/aligned.hpp"
#include "sinter/kernels/host/inference.hpp"
#include "sinter/kernels/step_arguments.hpp"

SINTER_NAMESPACE_BEGIN

/// Forward passes of a model on the host, on the calling thread, as in inference but with the masks of training: by
/// tiles that have places for masks. Normalisation takes the running averages.
template <class Model, class T, class Isa>
class MaskedInference {
  using Inference = HostInference<Model, T, Isa>;
  using Plan = typename Inference::Plan;
  using Batch = typename Inference::Batch;
  using Tile = host_kernels::Tile<Plan, true>;
  using Packed = typename Tile::Packed;
  static constexpr std::size_t lanes = Plan::lanes, outputs = Inference::outputs;

 public:
  explicit MaskedInference(const T* parameters)
      : parameters_(parameters),
        memory_(static_cast<std::size_t>(host_kernels::memory_stride<Tile>)),
        batch_(Batch::used ? Batch::size : 0),
        packed_(Packed::size) {
    if constexpr (Batch::used) Batch::set_all(batch_.data(), parameters);
    for (int i = 0; i < Packed::count(false); ++i) Packed::pack(i, parameters, packed_.data());
  }

  /// y [rows][output] of a batch.
  template <class View>
  void forward(const TrainingBatch<BatchInputs<View>, NotGiven>& batch, T* y) {
    Tile tile{memory_.data(), parameters_, nullptr};
    tile.batch = batch_.data();
    tile.packed = packed_.data();
    const host_kernels::TileGroup<Tile> group{tile, host_kernels::memory_stride<Tile>, 1};
    for (std::size_t first = 0; first < batch.rows; first += lanes) {
      std::uint32_t samples[lanes];
      for (std::size_t i = 0; i < lanes; ++i) samples[i] = batch.samples[std::min(first + i, batch.rows - 1)];
      host_kernels::draw_masks(tile, samples, batch.key);
      host_kernels::load_tile(tile, batch.inputs, first, batch.rows);
      host_kernels::tile_group_forward<host_kernels::TileGroup<Tile>, 0, Plan::stage_count>(group);
      const T* const packs = tile.at(Tile::value(Inference::Ops::output_value).begin());
      for (std::size_t row = first; row < std::min(first + lanes, batch.rows); ++row)
        for (std::size_t i = 0; i < outputs; ++i) *y++ = packs[i * lanes + row - first];
    }
  }

 private:
  const T* parameters_;
  AlignedArray<T> memory_, batch_, packed_;
};

SINTER_NAMESPACE_END
