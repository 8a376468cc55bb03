// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "sinter/core/isa.hpp"
#include "sinter/core/pack.hpp"
#include "sinter/kernels/host/plan/rules.hpp"
#include "sinter/kernels/host/products/blocks.hpp"

SINTER_NAMESPACE_BEGIN

/// The plan `tile`: one pack of samples runs forward, loss and backward while it is in the cache. Activations are
/// [C][H][W] packs, the samples in the lanes. All of it is known at compile time.
template <class Model, class T, class Isa, bool WithInputGradient = false, bool Training = true>
struct TilePlan {
  static constexpr bool with_input_gradient = WithInputGradient;
  using Scalar = T;
  using ISA = Isa;
  using Ops = Program<Model>;
  static constexpr int lanes = std::max(1, Isa::vector_bytes / static_cast<int>(sizeof(T)));
  static constexpr int wide_lanes = std::max(1, Isa::wide_bytes / static_cast<int>(sizeof(T)));
  using V = Pack<T, lanes>;
  using Wide = Pack<T, wide_lanes>;
  /// Packs in a cache line.
  static constexpr int line = std::max(1, 64 / (lanes * static_cast<int>(sizeof(T))));

  static constexpr int op_count = Ops::op_count;
  static constexpr const Op& op(int i) { return Ops::ops[index(i)]; }
  static constexpr const Parameter& parameter(int i) { return Ops::parameters[index(i)]; }

  using Cut = Stages<Model, host_kernels::Rules, Training>;
  using GradientOrder = internal::GradientOrder<Cut>;
  static constexpr int stage_count = Cut::count;
  static constexpr const Stage& stage(int s) { return Cut::at(s); }
  /// The op that a stage begins with.
  static constexpr const Op& source(int s) { return op(stage(s).first); }

  /// The output of a stage's source, before its riders.
  static constexpr Dims source_dims(int s) { return stage(s).source == Source::map ? source(s).in : source(s).out; }
  static constexpr Dims output_dims(int s) { return op(stage(s).last - 1).out; }
  /// The shape of a stored value.
  static constexpr Dims value_dims(int value) { return Ops::values[index(value)].dims; }
  /// The columns of zeros around the results of a convolution's windows that its adjoint reads: those that the windows
  /// before the first and after the last one would have.
  static constexpr int border_of_results(const Op& o) {
    const Window& w = o.window;
    const int image = (o.transposed ? o.out : o.in).width, results = (o.transposed ? o.in : o.out).width;
    return std::max({0, (w.reach_width() - 1 - w.padding_width) / w.stride_width,
                     (image - 1 + w.padding_width) / w.stride_width - (results - 1)});
  }
  /// The edge of zeros around a stored value that its reading convolutions need, as the padding of a window.
  static constexpr Window edge(int value) { return edges[index(value)]; }
  /// Not edge(value) != Window{}, which g++ 12 takes for true in some programs where it does not optimise.
  static constexpr bool has_edge(int value) {
    return edges[index(value)].padding_height != 0 || edges[index(value)].padding_width != 0;
  }
  /// The plan `layer`: tiles run the stages together, and the gradients of products' weights are taken from the whole
  /// batch at the end of a step. For networks whose only products are with whole samples. Recurrences keep numbers of
  /// every step, which are too many to wait for the end of the step.
  static constexpr bool layered = [] {
    bool products = false;
    for (int s = 0; s < stage_count; ++s) {
      if (!kind_of(stage(s).source).can_be_layered) return false;
      products = products || stage(s).source == Source::matmul;
    }
    return products;
  }();
  /// Whether the gradient of a product's weight is taken from the whole batch at the end of a step: in the plan
  /// `layer`, and in other plans those of weights that are too wide to be read and written again by each tile, and to
  /// be in each slot.
  static constexpr bool of_batch(int s) {
    return stage(s).source == Source::matmul &&
           (layered || source(s).in.size() * source(s).out.size() >= host_kernels::least_of_batch);
  }
  static constexpr bool parameter_of_batch(int i) { return of_batch(Cut::of_op(parameter(i).op)); }
  /// A value with a border is gathered for readers that read it as a row.
  static constexpr bool gathers(int s) { return kind_of(stage(s).source).reads_rows && has_edge(stage(s).input); }

 private:
  static constexpr std::size_t index(int i) { return static_cast<std::size_t>(i); }

  static constexpr std::array<Window, index(Ops::value_count)> edges = [] {
    std::array<Window, index(Ops::value_count)> all{};
    for (int s = 0; s < stage_count; ++s) {
      const bool transposed = stage(s).source == Source::transposed;
      if (stage(s).source != Source::convolution && !transposed) continue;
      Window& w = all[index(stage(s).input)];
      const Window& of_source = source(s).window;
      w.padding_width = std::max(w.padding_width, transposed ? border_of_results(source(s)) : of_source.padding_width);
      if (!transposed) w.padding_height = std::max(w.padding_height, of_source.padding_height);
    }
    return all;
  }();

  /// How a convolution leaves out products with zeros.
  struct Skips {
    bool channels = false;       // forward, in training: those that a mask drops
    bool zeros = false;          // backward: the exact zeros of dy
    bool taps_in_lanes = false;  // and takes dW with the taps of a row in the lanes, from the rows of the input
  };
  static constexpr bool skips_channels_in(int s) {
    if (stage(s).source != Source::convolution || stage(s).last == stage(s).first + 1) return false;
    const Op &product = source(s), &rider = op(stage(s).first + 1);
    if (rider.kind != OpKind::mask || !rider.per_channel || product.window.stride_width != 1) return false;
    // Image by image the lanes hold the pixels of a row, and its last pack is only partly full.
    const double full = static_cast<double>(product.out.width) / round_up(product.out.width, lanes);
    return (1 - rider.probability) / full <= host_kernels::most_work_with_dropped_channels &&
           (stage(s).pool < 0 || op(stage(s).pool).window.width <= std::min(2, lanes)) && product.window.groups == 1;
  }
  /// Only per-channel masks may be between the product and its pool, because the gradient stays pooled.
  static constexpr bool skips_zeros_in(int s) {
    const Window w = source(s).window, around = edge(stage(s).input);
    if (stage(s).source != Source::convolution || w.groups != 1 || w.padding_height != around.padding_height ||
        w.padding_width != around.padding_width)
      return false;
    double non_zeros = 1;
    bool stays_pooled = true;
    for (int i = stage(s).first_rider(); i < stage(s).last; ++i) {
      const Op& o = op(i);
      non_zeros *= 1 - o.zeros;
      const bool below_pool = stage(s).pool >= 0 && i < stage(s).pool;
      if (below_pool && !(o.kind == OpKind::mask && o.per_channel)) stays_pooled = false;
      if (o.kind == OpKind::pool && o.average) stays_pooled = false;
    }
    return stays_pooled && 1 - non_zeros >= host_kernels::least_zeros &&
           source(s).in.channels <= host_kernels::most_sparse_channels;
  }
  static constexpr std::array<Skips, index(stage_count + 1)> skips = [] {
    std::array<Skips, index(stage_count + 1)> all{};
    for (int s = 0; s < stage_count; ++s) {
      const Op& product = source(s);
      const bool zeros = skips_zeros_in(s);
      all[index(s)] = {
          skips_channels_in(s), zeros,
          zeros && stage(s).input == 0 && !with_input_gradient && product.window.width <= lanes &&
              product.window.dilation_width == 1 &&
              product.in.channels * product.window.height <= host_kernels::convolution_sums(Isa::registers) &&
              product.window.padding_height == 0 && product.window.padding_width == 0};
    }
    return all;
  }();

 public:
  static constexpr bool skips_channels(int s) { return skips[index(s)].channels; }
  static constexpr bool sparse(int s) { return skips[index(s)].zeros; }
  static constexpr bool taps_in_lanes(int s) { return skips[index(s)].taps_in_lanes; }

  /// Whether a convolution takes two rows of its output at a time, and those of its dx: see winograd.hpp.
  static constexpr bool by_winograd(int s) {
    const Op& o = source(s);
    const Window& w = o.window;
    return stage(s).source == Source::convolution && w.height == 3 && w.groups == 1 && !w.causal &&
           w.stride_height == 1 && w.stride_width == 1 && w.dilation_height == 1 && w.dilation_width == 1 &&
           o.out.height % 2 == 0 && (stage(s).pool < 0 || op(stage(s).pool).window.height <= 2) &&
           std::min(o.in.channels, o.out.channels) >= host_kernels::least_winograd_channels;
  }

  /// The resolution at which the gradient of a stage is kept: pooled, where zeros are skipped.
  static constexpr Dims gradient_dims(int s) {
    return sparse(s) && stage(s).pool >= 0 ? op(stage(s).pool).out : source_dims(s);
  }
  /// Whether a map keeps a number of its own for backward: the last op's output is the stage's own.
  static constexpr bool saves(int s, int i) {
    return op(i).kind == OpKind::map && !(op(i).backward_reads_output && i == stage(s).last - 1);
  }
};

SINTER_NAMESPACE_END
