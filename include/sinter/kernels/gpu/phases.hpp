// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "sinter/core/unroll.hpp"
#include "sinter/kernels/gpu/batch.hpp"
#include "sinter/kernels/gpu/batch_norm.hpp"
#include "sinter/kernels/gpu/convolution.hpp"
#include "sinter/kernels/gpu/load_rows.hpp"
#include "sinter/kernels/gpu/lookup.hpp"
#include "sinter/kernels/gpu/matmul.hpp"
#include "sinter/kernels/gpu/matrix_product.hpp"
#include "sinter/kernels/gpu/pool.hpp"
#include "sinter/kernels/gpu/product_operands.hpp"
#include "sinter/kernels/gpu/record_access.hpp"
#include "sinter/kernels/gpu/recurrence.hpp"
#include "sinter/kernels/gpu/row.hpp"
#include "sinter/kernels/gpu/take_loss.hpp"
#include "sinter/kernels/gpu/transposed_convolution.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// A step of a tile is a list of phases. A plan decides what runs them: a block in sequence, or the grid in a launch
/// each.
struct Phase {
  enum Kind : unsigned char {
    choose,
    load,
    moment_parts,
    moments,
    batch_moments,
    step_inputs,
    forward,
    forward_sum,
    loss,
    output,
    slope_parts,
    slopes,
    batch_slopes,
    steps_back,
    weight,
    weight_sum,
    row,
    input,
    input_sum
  } kind = choose;
  int stage = 0;
  bool barrier = true;  // false: the next phase does not depend on this one

  friend constexpr bool operator==(const Phase&, const Phase&) = default;
};

template <class Model, bool Training, bool InputGradient, int ExpectedRows,
          CudaProducts Products = CudaProducts::float32>
class Phases {
  static constexpr bool cut = cut_of<Model, Training>;
  using S = Stages<Model, cut>;
  struct List {
    std::array<Phase, 8 * (S::count + 2)> at{};
    int count = 0;
  };
  /// Which phases a stage has that others lack.
  struct Has : OwnPhases {
    bool forward_sum = false, weight_sum = false, input_sum = false;
  };
  template <int Number>
  static constexpr Has has() {
    constexpr OwnPhases own = own_phases<S::at(Number).source>;
    if constexpr (S::at(Number).source == Source::row) {
      return {{.row = !RowFunction<Model, Number, cut, ExpectedRows>::shared}};
    } else if constexpr (S::at(Number).is_product()) {
      using G = Geometry<Model, Number, cut>;
      return {own, ForwardWork<G, ExpectedRows>::parts > 1, WeightWork<G, ExpectedRows>::parts > 1,
              InputWork<G, ExpectedRows>::parts > 1};
    } else {
      return {own};
    }
  }
  template <int... Number>
  static constexpr std::array<Has, S::count + 1> has_of_all(std::integer_sequence<int, Number...>) {
    return {has<Number>()..., Has{}};
  }

  static constexpr List list() {
    List l;
    const auto add = [&l](Phase::Kind kind, int stage = 0, bool barrier = true) {
      l.at[static_cast<std::size_t>(l.count++)] = {kind, stage, barrier};
    };
    const std::array<Has, S::count + 1> of_stage = has_of_all(std::make_integer_sequence<int, S::count>{});
    add(Phase::choose);
    add(Phase::load);
    for (int s = 0; s < S::count; ++s) {
      const Has has = of_stage[static_cast<std::size_t>(s)];
      if (has.moments) {
        add(Phase::moment_parts, s);
        add(Phase::moments, s);
      }
      if (has.batch_moments) {
        add(Phase::batch_moments, s);
        continue;
      }
      if (has.step_inputs) add(Phase::step_inputs, s);
      add(Phase::forward, s);
      if (has.forward_sum) add(Phase::forward_sum, s);
    }
    if (!Training) return l;
    add(Phase::loss);
    add(Phase::output);
    for (int s = S::count - 1; s >= 0; --s) {
      if (!S::learned(S::at(s).output) && !InputGradient) continue;
      const Has has = of_stage[static_cast<std::size_t>(s)];
      const bool wants_input = S::wants_input_gradient(s) || InputGradient, input_sums = wants_input && has.input_sum;
      if (has.row && wants_input) add(Phase::row, s);
      if (has.steps_back) add(Phase::steps_back, s);
      if (has.slopes) add(Phase::slope_parts, s);
      // The slopes of a batch are the gradients of its weights.
      if (kind_of(S::at(s).source).parameter_gradients != ParameterGradients::none && !has.batch_slopes &&
          S::op(S::at(s).first).weight >= 0) {
        add(Phase::weight, s, has.weight_sum || !wants_input);
        // The parts of weights and of dx share their memory.
        if (has.weight_sum) add(Phase::weight_sum, s, !wants_input || input_sums);
      }
      if (has.batch_slopes || (has.slopes && wants_input)) add(Phase::slopes, s);
      if (has.batch_slopes) add(Phase::batch_slopes, s);
      if (wants_input && !S::follows_statistics(s)) add(Phase::input, s);
      if (input_sums) add(Phase::input_sum, s);
    }
    return l;
  }
  static constexpr List all = list();

 public:
  static constexpr int count = all.count, expected_rows = ExpectedRows;
  template <int Index>
  static constexpr Phase at = all.at[static_cast<std::size_t>(Index)];

  /// Whether a phase is a product that the grid computes in pieces. (Device code may read it, but not call a
  /// function of the host.)
  template <int Index>
  static constexpr bool in_pieces =
      (at<Index>.kind == Phase::forward || at<Index>.kind == Phase::weight || at<Index>.kind == Phase::input) &&
      gpu_kernels::in_pieces<Geometry<Model, at<Index>.stage, cut>, ExpectedRows>;

  /// How a phase divides its product in pieces.
  template <int Index, class T>
  struct PiecesOf {
    using G = Geometry<Model, at<Index>.stage, cut>;
    using Work = std::conditional_t<
        at<Index>.kind == Phase::forward, ForwardWork<G, ExpectedRows>,
        std::conditional_t<at<Index>.kind == Phase::input, InputWork<G, ExpectedRows>, WeightWork<G, ExpectedRows>>>;
    using Shape = typename Work::template Shape<T, Products>;
    static constexpr bool of_inputs = at<Index>.kind == Phase::input;
    static constexpr int lines = !of_inputs ? G::channels
                                 : G::whole ? G::inputs
                                            : G::in_channels,
                         columns_of_row = G::whole    ? 1
                                          : of_inputs ? G::in_pixels
                                                      : G::pooled_pixels * G::positions;
    static constexpr long long count(int rows) {
      const long long columns = at<Index>.kind == Phase::weight ? G::fan_in : 1LL * rows * columns_of_row;
      return divide_up(lines, Shape::height) * ((columns + Shape::width - 1) / Shape::width) * Work::parts;
    }
  };
  /// The threads of a block and its shared memory, where the team is the grid.
  template <int Index, class T>
  static constexpr int threads = [] {
    if constexpr (Index < count) {
      if constexpr (in_pieces<Index>) return PiecesOf<Index, T>::Shape::threads;
    }
    return 256;
  }();
  template <int Index, class T>
  static constexpr std::size_t shared_bytes = [] {
    if constexpr (Index < count) {
      if constexpr (in_pieces<Index>) return PiecesOf<Index, T>::Shape::bytes;
    }
    return std::size_t{0};
  }();
  /// How many blocks have something to do in a phase of `rows` rows, at most `most`. Others would only take time.
  template <int Index, class T>
  static constexpr int blocks(int rows, int most) {
    constexpr Phase::Kind kind = at<Index>.kind;
    constexpr const Op& source = S::op(S::at(at<Index>.stage).first);
    long long wanted = most;
    if constexpr (in_pieces<Index>)
      wanted = PiecesOf<Index, T>::count(rows);
    else if constexpr (kind == Phase::choose || kind == Phase::loss)
      wanted = (rows + 255) / 256;
    else if constexpr (kind == Phase::output)
      wanted = (1LL * rows * S::outputs + 255) / 256;
    else if constexpr (kind == Phase::batch_moments || kind == Phase::batch_slopes)
      wanted = (source.in.channels + 255) / 256;
    return wanted < 1 ? 1 : wanted < most ? static_cast<int>(wanted) : most;
  }
};

/// What a step is given besides its tile.
template <class Data, class Loss>
struct StepInput {
  Data data;
  std::uint32_t first = 0;                 // of the batch, in the order of the epoch
  const Epoch* epoch = nullptr;            // null: rows in their order, and no masks
  const std::uint32_t* samples = nullptr;  // [batch] what keys the masks; null: the rows' numbers in the dataset
  Loss loss{};
};

/// A tile for the gradients of a stage's weights, which are added to those of another use of them.
template <int S, class Tile>
SINTER_FN std::conditional_t<Tile::template At<S>::gives_again, Tile, const Tile&> adding_tile(const Tile& tile) {
  if constexpr (Tile::template At<S>::gives_again) {
    Tile adding = tile;
    adding.adds = true;
    return adding;
  } else {
    return tile;
  }
}

/// Phase Index of a list, without its barrier.
template <class List, int Index, class X, class Tile, class Step>
SINTER_FN void run_phase(X& x, const Tile& tile, const Step& step) {
  constexpr Phase phase = List::template at<Index>;
  constexpr int stage = phase.stage;
  using Kernel = StageKernel<Tile::template At<stage>::stage.source>;
  if constexpr (phase.kind == Phase::choose) {
    choose_rows(x, tile, step.first, step.epoch);
  } else if constexpr (phase.kind == Phase::load) {
    load_rows(x, tile, step.data, step.samples, step.epoch);
  } else if constexpr (phase.kind == Phase::loss) {
    take_loss(x, tile, step.data, step.loss);
  } else if constexpr (phase.kind == Phase::output) {
    give_output_gradient(x, tile);
  } else if constexpr (phase.kind == Phase::forward_sum) {
    sum_forward<stage>(x, tile);
  } else if constexpr (phase.kind == Phase::weight_sum) {
    sum_weight<stage>(x, adding_tile<stage>(tile));
  } else if constexpr (phase.kind == Phase::input_sum) {
    sum_input<stage>(x, tile);
  } else if constexpr (List::template in_pieces<Index>) {
    if constexpr (phase.kind == Phase::forward)
      multiply_shared(x, ForwardOperands<stage, Tile>{tile});
    else if constexpr (phase.kind == Phase::input)
      multiply_shared(x, InputOperands<stage, Tile>{tile});
    else
      multiply_shared(x, WeightOperands<stage, Tile>{adding_tile<stage>(tile)});
  } else if constexpr (phase.kind == Phase::moment_parts) {
    Kernel::template moment_parts<stage>(x, tile);
  } else if constexpr (phase.kind == Phase::moments) {
    Kernel::template moments<stage>(x, tile);
  } else if constexpr (phase.kind == Phase::batch_moments) {
    Kernel::template batch_moments<stage>(x, tile);
  } else if constexpr (phase.kind == Phase::step_inputs) {
    Kernel::template step_inputs<stage>(x, tile);
  } else if constexpr (phase.kind == Phase::forward) {
    Kernel::template forward<stage>(x, tile);
  } else if constexpr (phase.kind == Phase::slope_parts) {
    Kernel::template slope_parts<stage>(x, tile);
  } else if constexpr (phase.kind == Phase::slopes) {
    Kernel::template slopes<stage>(x, tile);
  } else if constexpr (phase.kind == Phase::batch_slopes) {
    Kernel::template batch_slopes<stage>(x, adding_tile<stage>(tile));
  } else if constexpr (phase.kind == Phase::steps_back) {
    Kernel::template steps_back<stage>(x, tile);
  } else if constexpr (phase.kind == Phase::row) {
    Kernel::template row<stage>(x, tile);
  } else if constexpr (phase.kind == Phase::weight) {
    Kernel::template weight_gradient<stage>(x, adding_tile<stage>(tile));
  } else {
    static_assert(phase.kind == Phase::input, "sinter: say in run_phase what this phase does");
    Kernel::template input_gradient<stage>(x, tile);
  }
}

/// All phases of a list in sequence, by one team.
template <class List, class X, class Tile, class Step>
SINTER_FN void run_phases(X& x, const Tile& tile, const Step& step) {
  unroll<List::count>([&](auto i) SINTER_LAMBDA {
    constexpr int Index = decltype(i)::value;
    run_phase<List, Index>(x, tile, step);
    constexpr bool barrier = List::template at<Index>.barrier;
    if constexpr (barrier) x.barrier();
  });
}

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
