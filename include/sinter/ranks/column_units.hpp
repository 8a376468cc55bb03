// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "sinter/core/shape.hpp"
#include "sinter/fn/identity.hpp"
#include "sinter/layers/activation.hpp"
#include "sinter/layers/embedding.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/model/program.hpp"
#include "sinter/model/sequential.hpp"
#include "sinter/ranks/column_blocks.hpp"
#include "sinter/ranks/stages.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// A layer that is divided by its columns: those of its outputs, `count` for each sample or position. Of<n> is the
/// layer with n of them. Other layers have none.
template <class Layer>
struct ColumnsOfLayer {
  static constexpr int count = 0;
};
template <int Out, auto... Options>
struct ColumnsOfLayer<Linear<Out, Options...>> {
  static constexpr int count = Out;
  static constexpr bool table = false;
  template <int Own>
  using Of = Linear<Own, Options...>;
};
template <int Count, int Size, auto... Options>
struct ColumnsOfLayer<Embedding<Count, Size, Options...>> {
  static constexpr int count = Size;
  static constexpr bool table = true;
  template <int Own>
  using Of = Embedding<Count, Own, Options...>;
};

/// Whether the layers of these numbers can be divided into so many parts.
template <class Model, class Wide, int Parts>
struct ColumnChecks;
template <class Model, int... Layers, int Parts>
struct ColumnChecks<Model, At<Layers...>, Parts> {
  static constexpr bool ascend = [] {
    int before = -1, last = Program<Model>::layer_count;
    return sizeof...(Layers) > 0 && ((Layers > std::exchange(before, Layers) && Layers < last) && ...);
  }();
  template <int Layer>
  static constexpr int columns() {
    if constexpr (ascend)
      return ColumnsOfLayer<typename Model::LayerTypes::template At<Layer>>::count;
    else
      return Parts;
  }
  static constexpr bool divisible = ((columns<Layers>() > 0) && ...);
  static constexpr bool enough = !divisible || (Parts > 0 && ((columns<Layers>() >= Parts) && ...));
};

/// What ranks have of a model whose layers `Layers` are wide, and divided by columns. Wide layer k comes after the
/// narrow layers k, which all ranks have, perhaps none, and before the narrow layers k + 1. Units are, one after
/// another: narrow layers 0, the parts of wide layer 0, narrow layers 1 ..
template <class Model, class Wide, int Parts>
struct ColumnUnits;
template <class Model, int... Layers, int PartCount>
struct ColumnUnits<Model, At<Layers...>, PartCount> {
  using Ops = Program<Model>;
  static constexpr int wide = sizeof...(Layers), parts = PartCount, count = wide * (parts + 1) + 1;
  static constexpr std::array<int, std::size_t{wide}> layers{Layers...};

  static constexpr int unit_of_narrow(int k) { return k * (parts + 1); }
  static constexpr int unit_of_part(int k, int part) { return k * (parts + 1) + 1 + part; }
  static constexpr int first_narrow(int k) { return k == 0 ? 0 : layers[static_cast<std::size_t>(k - 1)] + 1; }
  static constexpr int end_narrow(int k) { return k == wide ? Ops::layer_count : layers[static_cast<std::size_t>(k)]; }

  /// Whether narrow layers compute something. If there are none, or if they only change the shape, numbers are copied.
  static constexpr bool computes(int k) {
    for (const Op& op : Ops::ops)
      if (op.layer >= first_narrow(k) && op.layer < end_narrow(k)) return true;
    return false;
  }

  static constexpr Dims dims_before(int layer) {
    return layer == 0 ? Model::input_dims : Ops::layer_outputs[static_cast<std::size_t>(layer - 1)];
  }

  template <int Layer>
  using InputAt = typename InputOf<shape_of<dims_before(Layer)>>::Type;
  template <int K>
  static auto narrow() {
    if constexpr (computes(K))
      return Same<StageModel<Model, first_narrow(K), end_narrow(K)>>{};
    else if constexpr (K == 0)  // in the shape of the rows that it reads
      return Same<Sequential<typename Model::InputLayer, Activation<fn::Identity>>>{};
    else
      return Same<Sequential<InputAt<end_narrow(K)>, Activation<fn::Identity>>>{};
  }
  template <int K>
  using LayerOf = typename Model::LayerTypes::template At<layers[std::size_t{K}]>;
  template <int K>
  using Columns = ColumnsOfLayer<LayerOf<K>>;
  template <int K>
  static constexpr int columns = Columns<K>::count;
  template <int K>
  static constexpr int first_column(int part) {
    return static_cast<int>(std::int64_t{columns<K>} * part / parts);
  }

  template <int K>
  using Narrow = typename decltype(narrow<K>())::Type;
  template <int K>
  using WholeLayer = Sequential<InputAt<layers[std::size_t{K}]>, LayerOf<K>>;
  template <int K, int Part>
  using PartOfLayer = Sequential<InputAt<layers[std::size_t{K}]>,
                                 typename Columns<K>::template Of<first_column<K>(Part + 1) - first_column<K>(Part)>>;
  template <int K>
  static constexpr bool is_table = Columns<K>::table;

  /// The columns of a part in a row of the layer's outputs.
  template <int K>
  static constexpr ColumnBlocks outputs_of(int part) {
    constexpr const Op& op = Program<WholeLayer<K>>::ops[0];
    constexpr int adjacent = is_table<K> && op.transposed ? op.out.size() / columns<K> : 1;  // numbers of a column
    return {std::size_t{op.out.size() / (columns<K> * adjacent)}, std::size_t{columns<K> * adjacent},
            static_cast<std::size_t>(first_column<K>(part) * adjacent),
            static_cast<std::size_t>((first_column<K>(part + 1) - first_column<K>(part)) * adjacent)};
  }

 private:
  /// Columns of a parameter, and where they are in the numbers of a unit.
  struct Piece {
    std::size_t own = 0, all = 0;
    ColumnBlocks columns;
  };
  struct Layout {
    std::array<StageArena, std::size_t{count}> arenas{};
    std::array<std::array<Piece, 2>, std::size_t{count}> pieces{};  // weight and bias
    std::array<int, std::size_t{count}> trained{};                  // numbers without gaps
    StageArena end{.buffers_begin = Ops::arena_size};
  };
  static constexpr std::size_t number(int n) { return static_cast<std::size_t>(n); }
  template <class Part>
  static constexpr StageArena arena_of(StageArena begin) {
    begin.size = Program<Part>::arena_size;
    begin.buffers_size = Program<Part>::storage_size - Program<Part>::arena_size;
    begin.parameter_count = Program<Part>::parameter_count;
    return begin;
  }
  static constexpr void go_on(StageArena& end, const StageArena& after) {
    end.begin += after.size;
    end.buffers_begin += after.buffers_size;
    end.first_parameter += after.parameter_count;
  }
  template <int K, int Part>
  static constexpr void place_part(Layout& to) {
    using Whole = Program<WholeLayer<K>>;
    using Own = Program<PartOfLayer<K, Part>>;
    constexpr auto unit = static_cast<std::size_t>(unit_of_part(K, Part));
    to.arenas[unit] = arena_of<PartOfLayer<K, Part>>(to.end);
    to.trained[unit] = Own::trained;
    for (std::size_t i = 0; i < std::size_t{Whole::parameter_count}; ++i) {
      const Parameter &all = Whole::parameters[i], &own = Own::parameters[i];
      const int blocks = is_table<K> ? all.shape[0] : 1, column = all.size / (blocks * columns<K>);
      to.pieces[unit][i] = {number(own.offset),
                            number(to.end.begin + all.offset),
                            {number(blocks), number(columns<K>) * number(column),
                             number(first_column<K>(Part)) * number(column), number(own.size / blocks)}};
    }
  }
  template <int K, int... Part>
  static constexpr void place(Layout& to, std::integer_sequence<int, Part...>) {
    constexpr auto unit = static_cast<std::size_t>(unit_of_narrow(K));
    StageArena& own = to.arenas[unit];
    own = arena_of<Narrow<K>>(to.end);
    to.trained[unit] = Program<Narrow<K>>::trained;
    to.pieces[unit][0] = {0, number(own.begin), {1, number(own.size), 0, number(own.size)}};
    go_on(to.end, own);
    if constexpr (K < wide) {
      (place_part<K, Part>(to), ...);
      go_on(to.end, arena_of<WholeLayer<K>>(to.end));
    }
  }
  template <int... K>
  static constexpr Layout place_all(std::integer_sequence<int, K...>) {
    Layout all;
    (place<K>(all, std::make_integer_sequence<int, parts>{}), ...);
    return all;
  }
  static constexpr Layout layout = place_all(std::make_integer_sequence<int, wide + 1>{});

 public:
  static constexpr const auto& arenas = layout.arenas;
  /// Whether the units have the parameters of the model between them: a Shared in two of them would be there twice.
  static constexpr bool share_nothing =
      layout.end.begin == Ops::arena_size && layout.end.buffers_begin == Ops::storage_size;

  /// DividedArray tells arenas from buffers by their size.
  static constexpr bool has_weights = Ops::arena_size > Ops::storage_size - Ops::arena_size;

  static constexpr int first_part(int rank, int ranks) { return rank * parts / ranks; }
  /// Of a unit that is a part.
  static constexpr int owner(int unit, int ranks) {
    int rank = 0;
    while (first_part(rank + 1, ranks) < unit % (parts + 1)) ++rank;
    return rank;
  }
  static constexpr bool on_all(int unit) { return unit % (parts + 1) == 0; }
  static constexpr bool has(int unit, int rank, int ranks) { return on_all(unit) || owner(unit, ranks) == rank; }
  /// How many parameters a rank has.
  static constexpr long long numbers_of(int rank, int ranks) {
    long long numbers = 0;
    for (int u = 0; u < count; ++u)
      if (has(u, rank, ranks)) numbers += layout.trained[static_cast<std::size_t>(u)];
    return numbers;
  }
  /// f(in the numbers of the unit, in the arena of the model, count)
  template <class F>
  static void for_each_piece(int unit, F&& f) {
    for (const Piece& piece : layout.pieces[static_cast<std::size_t>(unit)])
      piece.columns.for_each(1, [&](std::size_t own, std::size_t all, std::size_t numbers) {
        f(piece.own + own, piece.all + all, numbers);
      });
  }
};

}  // namespace detail

SINTER_NAMESPACE_END
