// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

#include "sinter/core/shape.hpp"
#include "sinter/layers/inputs.hpp"
#include "sinter/layers/layer.hpp"
#include "sinter/model/program.hpp"
#include "sinter/model/sequential.hpp"

SINTER_NAMESPACE_BEGIN

/// Where a Pipeline cuts a model: before the layers of these numbers. At<3, 7> makes three stages: layers 0 to 2, 3 to
/// 6, and the rest. Or the layers that a ColumnParallel divides.
template <int... Layers>
struct At {
  static constexpr int stages = sizeof...(Layers) + 1;
};

namespace detail {

/// A layer that is in another stage. It keeps the numbers of the layers as they are in the whole model, and so the
/// names of parameters, their first numbers, and the masks of a Dropout. (Its own number is for nvcc, which needs
/// distinct types in a pack.)
template <std::size_t Number>
struct InOtherStage {
  static constexpr const char* name = "InOtherStage";
  using Needs = needs::any_shape;
  using Ops = OpList<>;
  static constexpr bool accepts(Dims) { return true; }
};

template <class Row>
struct InputOf;
template <int... Sizes>
struct InputOf<Shape<Sizes...>> {
  using Type = Input<Sizes...>;
};

template <class Of>
struct Same {
  using Type = Of;
};

/// Layers [First, Last) of a model.
template <class Model, int First, class Before, class Own>
struct StageLayers;
template <class Model, int First, std::size_t... Before, std::size_t... Own>
struct StageLayers<Model, First, std::index_sequence<Before...>, std::index_sequence<Own...>> {
  template <bool Begins>
  static auto input() {
    if constexpr (Begins)
      return Same<typename Model::InputLayer>{};
    else
      return InputOf<shape_of<Program<Model>::layer_outputs[std::size_t{First} - 1]>>{};
  }
  using Type = Sequential<typename decltype(input<First == 0>())::Type, InOtherStage<Before>...,
                          typename Model::LayerTypes::template At<First + int{Own}>...>;
};
template <class Model, int First, int Last>
struct StageModel : StageLayers<Model, First, std::make_index_sequence<std::size_t{First}>,
                                std::make_index_sequence<std::size_t{Last - First}>>::Type {};

/// Where the numbers of a stage are in the arena of the whole model.
struct StageArena {
  int begin = 0, size = 0, buffers_begin = 0, buffers_size = 0;
  int first_parameter = 0, parameter_count = 0;
};

/// A model as stages.
template <class Model, class Places>
struct Stages;
template <class Model, int... Layers>
struct Stages<Model, At<Layers...>> {
  using Ops = Program<Model>;
  static constexpr int count = At<Layers...>::stages;
  static constexpr std::array<int, std::size_t{count} + 1> borders{0, Layers..., Ops::layer_count};

  /// Whether every stage has layers.
  static constexpr bool ascend = [] {
    for (std::size_t s = 0; s < std::size_t{count}; ++s)
      if (borders[s] >= borders[s + 1]) return false;
    return true;
  }();

  /// The first layer of a stage; in a model that is refused, all are in the first one.
  static constexpr int first_layer(int s) {
    return ascend ? borders[static_cast<std::size_t>(s)] : s == 0 ? 0 : Ops::layer_count;
  }

  template <int S>
  using StageOf = StageModel<Model, first_layer(S), first_layer(S + 1)>;

 private:
  template <class Part>
  static constexpr void place(StageArena& arena, StageArena& end) {
    arena = end;
    arena.size = Program<Part>::arena_size;
    arena.buffers_size = Program<Part>::storage_size - Program<Part>::arena_size;
    arena.parameter_count = Program<Part>::parameter_count;
    end.begin += arena.size;
    end.buffers_begin += arena.buffers_size;
    end.first_parameter += arena.parameter_count;
  }
  template <int... S>
  static constexpr auto place_all(std::integer_sequence<int, S...>) {
    std::array<StageArena, count> all{};
    StageArena end{.buffers_begin = Ops::arena_size};
    (place<StageOf<S>>(all[std::size_t{S}], end), ...);
    return all;
  }

 public:
  static constexpr std::array<StageArena, count> arenas = place_all(std::make_integer_sequence<int, count>{});

  /// Whether the stages have the parameters of the model between them: a Shared in two stages would be there twice.
  static constexpr bool share_nothing =
      arenas[count - 1].begin + arenas[count - 1].size == Ops::arena_size &&
      arenas[count - 1].buffers_begin + arenas[count - 1].buffers_size == Ops::storage_size;
  /// DividedArray tells arenas from buffers by their size.
  static constexpr bool has_weights = Ops::arena_size > Ops::storage_size - Ops::arena_size;

  /// The stages of a rank: [first_of(rank), first_of(rank + 1)).
  static constexpr int first_of(int rank, int ranks) { return rank * count / ranks; }
  static constexpr int owner(int stage, int ranks) {
    int rank = 0;
    while (first_of(rank + 1, ranks) <= stage) ++rank;
    return rank;
  }
  static constexpr bool has(int stage, int rank, int ranks) { return owner(stage, ranks) == rank; }
  /// Whether all ranks have the same numbers of it.
  static constexpr bool on_all(int /*stage*/) { return false; }
  /// f(in the numbers of the stage, in the arena of the model, count): the numbers that it has.
  template <class F>
  static void for_each_piece(int stage, F&& f) {
    const StageArena& of = arenas[static_cast<std::size_t>(stage)];
    f(std::size_t{0}, static_cast<std::size_t>(of.begin), static_cast<std::size_t>(of.size));
  }
};

}  // namespace detail

SINTER_NAMESPACE_END

namespace sinter {
using internal::At;
}  // namespace sinter
