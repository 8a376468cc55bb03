// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "sinter/core/of_library.hpp"
#include "sinter/core/random.hpp"
#include "sinter/data/batch.hpp"
#include "sinter/kernels/host/stages/batch_norm.hpp"
#include "sinter/kernels/host/stages/convolution_stage.hpp"
#include "sinter/kernels/host/stages/group_norm.hpp"
#include "sinter/kernels/host/stages/lookup.hpp"
#include "sinter/kernels/host/stages/matmul_stage.hpp"
#include "sinter/kernels/host/stages/matrix_product_stage.hpp"
#include "sinter/kernels/host/stages/pointwise.hpp"
#include "sinter/kernels/host/stages/recurrence_stage.hpp"
#include "sinter/kernels/host/step/watch.hpp"
#include "sinter/kernels/host/tile/border.hpp"
#include "sinter/kernels/host/tile/stage_tile.hpp"
#include "sinter/loss/target.hpp"
#include "sinter/loss/weight.hpp"
#include "sinter/ops/mask_key.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// A pass of stage S by the kernel of its kind.
template <Pass pass, class Tile, int S>
SINTER_INLINE void stage_kernel(const Tile& tile) {
  using Kernel = StageKernel<Tile::Plan::stage(S).source>;
  if constexpr (pass == Pass::forward)
    Kernel::template forward<Tile, S>(tile);
  else if constexpr (pass == Pass::weight_gradient)
    Kernel::template weight_gradient<Tile, S>(tile);
  else
    Kernel::template input_gradient<Tile, S>(tile);
}
/// The kernel of stage S and of all that equal it.
template <Pass pass, class Tile, int S>
SINTER_SHARED void shared_kernel(const Tile& tile, const typename GivenPlaces<Tile, S, pass>::Offsets& offsets) {
  stage_kernel<pass, StageTile<Tile, S, pass>, S>({tile, offsets});
}
/// Whether one kernel makes the gradients of the parameters of stage S and that of its input.
template <class Tile, int S>
inline constexpr bool both_gradients =
    Tile::Plan::sparse(S) || kind_of(Tile::Plan::stage(S).source).parameter_gradients == ParameterGradients::with_input;

/// Runs a pass of stage S.
template <Pass pass, class Tile, int S>
SINTER_INLINE void run_stage(const Tile& tile) {
  using Equal = EqualStages<Tile, pass>;
  constexpr Part part = pass == Pass::forward           ? Part::forward
                        : pass == Pass::weight_gradient ? Part::weight_gradient
                        : both_gradients<Tile, S>       ? Part::both_gradients
                                                        : Part::input_gradient;
  [[maybe_unused]] const Watch<typename Tile::Plan::ISA> watch(part, S);
  if constexpr (pass == Pass::forward) begin_value<Tile, Tile::Plan::stage(S).output>(tile);
  if constexpr (Equal::shared(S))
    shared_kernel<pass, Tile, Equal::first(S)>(tile, offsets_of_stage<Tile, Equal::first(S), pass, S>);
  else
    stage_kernel<pass, Tile, S>(tile);
}

/// Runs the adjoint of stage S: from the gradient of its source to those of its parameters and of its input.
template <class Tile, int S>
SINTER_INLINE void backward_stage(const Tile& tile) {
  constexpr ParameterGradients gradients = kind_of(Tile::Plan::stage(S).source).parameter_gradients;
  if constexpr (Tile::Plan::Cut::learned(Tile::Plan::stage(S).output) || Tile::input_gradient) {
    if constexpr (gradients == ParameterGradients::apart && !both_gradients<Tile, S>)
      run_stage<Pass::weight_gradient, Tile, S>(tile);
    if constexpr (both_gradients<Tile, S> || wants_input_gradient<Tile, S>)
      run_stage<Pass::input_gradient, Tile, S>(tile);
  }
}

/// The stages [First, End), forward and backward.
template <class Tile, int First, int End>
SINTER_INLINE void forward_stages(const Tile& tile) {
  unroll<End - First>([&](auto s) SINTER_LAMBDA { run_stage<Pass::forward, Tile, First + decltype(s)::value>(tile); });
}
template <class Tile, int First, int End>
SINTER_INLINE void backward_stages(const Tile& tile) {
  unroll<End - First>([&](auto s) SINTER_LAMBDA { backward_stage<Tile, End - 1 - decltype(s)::value>(tile); });
}

/// The masks of a layer, for the samples of a tile. Not inlined: a layer more is a call more.
template <class Isa, class V>
SINTER_SHARED void draw_mask(MaskKey key, const std::uint32_t* samples, std::uint32_t stream, int n, double probability,
                             V* to) {
  keep_masks(key.seed, rebind<V, std::uint32_t>::load(samples), key.step, stream, n, probability, to);
}
/// Decides every mask of a tile, for the samples in its lanes.
template <class Tile>
void draw_masks(const Tile& tile, const std::uint32_t* samples, MaskKey key) {
  using P = typename Tile::Plan;
  using V = typename Tile::V;
  [[maybe_unused]] const Watch<typename P::ISA> watch(Part::masks);
  unroll<P::op_count>([&](auto i) SINTER_LAMBDA {
    constexpr Op op = P::op(decltype(i)::value);
    if constexpr (op.kind == OpKind::mask) {
      constexpr int n = op.per_channel ? op.in.channels : op.in.size();
      draw_mask<typename P::ISA>(key, samples, static_cast<std::uint32_t>(op.stream()), n, op.probability,
                                 reinterpret_cast<V*>(tile.at(Tile::mask(decltype(i)::value).begin())));
    }
  });
}

/// A target row, from targets that copy it or that point to it.
template <class Targets, class T>
SINTER_INLINE void copy_target(const Targets& targets, std::size_t row, T* to, [[maybe_unused]] int count) {
  if constexpr (requires { targets.copy_row(row, to); })
    targets.copy_row(row, to);
  else
    std::copy_n(targets.row(row), count, to);
}

template <class K>
struct KernelType {
  using Type = K;
};
/// f(KernelType<..>) for each stage that skips zeros, which keeps operands of its own.
template <class Tile, class F>
SINTER_INLINE void for_each_sparse(F&& f) {
  unroll<Tile::Plan::stage_count>([&](auto s) SINTER_LAMBDA {
    if constexpr (Tile::Plan::sparse(decltype(s)::value)) f(KernelType<SparseConvolution<Tile, decltype(s)::value>>{});
  });
}
/// Before the first and after the last tile that adds to the sums of a workspace for its slot.
template <class Tile>
void begin_slot(const Tile& tile) {
  [[maybe_unused]] const Watch<typename Tile::Plan::ISA> watch(Part::slot_sums);
  for_each_sparse<Tile>([&](auto kernel) SINTER_LAMBDA { decltype(kernel)::Type::begin_slot(tile); });
}
template <class Tile>
void end_slot(const Tile& tile) {
  [[maybe_unused]] const Watch<typename Tile::Plan::ISA> watch(Part::slot_sums);
  for_each_sparse<Tile>([&](auto kernel) SINTER_LAMBDA { decltype(kernel)::Type::end_slot(tile); });
}

/// The sum of a pack's numbers, those where `counts` is false left out.
template <class V, class Mask>
SINTER_INLINE double sum_of_lanes(V value, Mask counts) {
  value = select(counts, value, V(0));
  double total = 0;
  for (int i = 0; i < V::lanes; ++i) total += static_cast<double>(value[i]);
  return total;
}

/// The loss of the samples [first, first + lanes) of a batch, whose outputs are n packs y, and its gradient, in dy; the
/// room after dy takes the targets. Lanes beyond the batch count nothing. Of a loss that has heads `of_heads` takes
/// each one's.
template <class V, class Loss, class Targets, class T>
SINTER_INLINE double loss_of_packs(const Loss& loss, const Targets& targets, std::size_t first, std::size_t batch,
                                   T scale, const V* y, int n, V* dy, [[maybe_unused]] double* of_heads) {
  constexpr int L = V::lanes;
  constexpr bool classes = std::is_same_v<typename Loss::Target, ClassTarget>;
  [[maybe_unused]] V* const wanted = dy + n;
  [[maybe_unused]] T* const row_wanted = reinterpret_cast<T*>(wanted + n);
  V label(-1), lane(0);
  [[maybe_unused]] V weight(1);
  for (int i = 0; i < L; ++i) {
    const std::size_t row = std::min(first + static_cast<std::size_t>(i), batch - 1);
    if constexpr (classes) {
      label.set(i, static_cast<T>(targets.label(row)));
    } else {
      const int size = target_size<Loss>(n);
      copy_target(targets, row, row_wanted, size);
      for (int k = 0; k < size; ++k) wanted[k].set(i, row_wanted[k]);
    }
    if constexpr (HasRowWeights<Targets>) weight.set(i, row_weight<T>(targets, row));
    lane.set(i, static_cast<T>(i));
  }
  const auto counts = lane < V(static_cast<T>(std::min<std::size_t>(batch - first, L)));

  V value, factor(scale);
  if constexpr (HasRowWeights<Targets>) factor = weight * factor;
  if constexpr (classes) {
    value = loss.forward(y, n, label);
    loss.backward(y, n, label, factor, dy);
  } else {
    if constexpr (heads_of_loss<Loss> > 0) {
      V each[heads_of_loss<Loss>];
      value = loss.forward_each(y, static_cast<const V*>(wanted), each);
      for (std::size_t h = 0; h < heads_of_loss<Loss>; ++h) of_heads[h] = sum_of_lanes(weight * each[h], counts);
    } else {
      value = loss.forward(y, n, static_cast<const V*>(wanted));
    }
    loss.backward(y, n, static_cast<const V*>(wanted), factor, dy);
  }
  if constexpr (HasRowWeights<Targets>) value = weight * value;
  for (int i = 0; i < n; ++i) dy[i] = select(counts, dy[i], V(0));
  return sum_of_lanes(value, counts);
}
/// The same of a loss of the library: networks share it.
template <class Isa, class V, class Loss, class Targets, class T>
SINTER_SHARED double shared_loss(const Loss& loss, const Targets& targets, std::size_t first, std::size_t batch,
                                 T scale, const V* y, int n, V* dy, double* of_heads) {
  return loss_of_packs(loss, targets, first, batch, scale, y, n, dy, of_heads);
}

/// The loss of the tile's samples, and its gradient given to the last stage.
template <class Tile, class Loss, class Targets>
double loss_tile(const Tile& tile, const Loss& loss, const Targets& targets, std::size_t first, std::size_t batch,
                 T_of<Tile> scale, double* of_heads) {
  using P = typename Tile::Plan;
  using V = typename Tile::V;
  constexpr int n = P::Ops::output.size();
  constexpr Place out = Tile::value(P::Ops::output_value);
  [[maybe_unused]] const Watch<typename P::ISA> watch(Part::loss);
  const V* const y = reinterpret_cast<const V*>(tile.at(out.begin()));
  V* const dy = reinterpret_cast<V*>(tile.scratch());  // outputs may be large: they stay off the stack
  double sum;
  if constexpr (detail::is_of_library<Loss> && n >= least_shared_row)
    sum = shared_loss<typename P::ISA>(loss, targets, first, batch, scale, y, n, dy, of_heads);
  else
    sum = loss_of_packs(loss, targets, first, batch, scale, y, n, dy, of_heads);
  for (int i = 0; i < n; ++i) take_gradient<Tile, P::Ops::output_value>(tile, Position::of(i, out.dims), dy[i]);
  return sum;
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
