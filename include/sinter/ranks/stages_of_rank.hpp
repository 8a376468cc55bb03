// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include "sinter/core/unroll.hpp"
#include "sinter/data/batch.hpp"
#include "sinter/ranks/communicator.hpp"
#include "sinter/ranks/divided_array.hpp"
#include "sinter/ranks/micro_batches.hpp"
#include "sinter/ranks/pipeline_stage.hpp"
#include "sinter/ranks/solo.hpp"
#include "sinter/ranks/stages.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// The stages that a rank has. Time is cut into ticks: in each, every stage takes one micro-batch forward and one
/// backward, and passes the results on to its neighbours. Micro-batch m goes forward through stage s at tick m + s, and
/// back at tick m + 2 last - s: through the last stage both ways at once.
template <class Model, class T, class Places, class Device>
class StagesOfRank {
  using Parts = Stages<Model, Places>;
  using Array = DividedArray<T, Parts>;
  template <int S>
  using Part = typename Parts::template StageOf<S>;
  template <int S>
  using Stage = PipelineStage<Part<S>, T, Device>;

 public:
  using Units = Parts;
  static constexpr int last = Parts::count - 1, inputs = Program<Model>::input.size();
  static constexpr bool buffers = Program<Model>::buffer_count > 0;

  StagesOfRank(Communicator* among, const Device& device) : world_(among) {
    unroll<Parts::count>([&](auto s) {
      constexpr int S = decltype(s)::value;
      if (owner(S) == world().rank()) std::get<S>(stages_) = std::make_unique<Stage<S>>(device);
    });
  }

  Communicator& world() const {
    static thread_local Solo alone;
    return world_ == nullptr ? alone : *world_;
  }
  int ranks() const { return world().size(); }
  int owner(int stage) const { return Parts::owner(stage, ranks()); }

  /// f(s, stage) for the stages that are here, s as a constant.
  template <class F>
  void for_each(F&& f) const {
    unroll<Parts::count>([&](auto s) {
      if (const auto& stage = std::get<decltype(s)::value>(stages_)) f(s, *stage);
    });
  }
  /// The numbers of a stage that is here, in an array of so many arenas, with the buffers or without.
  template <class Number>
  Number* numbers_of(int stage, Number* all, std::size_t arenas, bool with_buffers) const {
    return all + Array::offset(world().rank(), ranks(), stage, arenas, with_buffers);
  }
  template <class Number>
  Number* parameters_of(int stage, Number* all) const {
    return numbers_of(stage, all, 1, buffers);
  }

  /// What a stage reads: of the first one what the batch has, of others what came from the stage before.
  template <int S, class View>
  static auto inputs_of(const Stage<S>& stage, const BatchInputs<View>& batch, std::size_t first, std::size_t rows) {
    if constexpr (S == 0)
      return BatchInputs<View>{batch.view, from_row(batch.choice, first), batch.normalize};
    else
      return BatchInputs<TensorView<const T, typename Part<S>::InputRow>>{{stage.x.data(), rows}};
  }

  /// At the end of a tick: outputs to the next stages, and, with `backward`, gradients of inputs to those before.
  void pass_on(const MicroBatches& batches, int tick, bool backward) const {
    Exchange exchange(world());
    unroll<last>([&](auto s) {
      constexpr int S = decltype(s)::value;
      constexpr auto size = static_cast<std::size_t>(Program<Part<S>>::output.size());
      Stage<S>* const before = std::get<S>(stages_).get();
      Stage<S + 1>* const after = std::get<S + 1>(stages_).get();
      batches.at(tick - S, [&](std::size_t, std::size_t, std::size_t rows) {
        pass(exchange, before == nullptr ? nullptr : &before->y, after == nullptr ? nullptr : &after->x, S, S + 1,
             rows * size);
      });
      if (backward)
        batches.at(tick - 2 * last + S + 1, [&](std::size_t, std::size_t, std::size_t rows) {
          pass(exchange, after == nullptr ? nullptr : &after->dx, before == nullptr ? nullptr : &before->dy, S + 1, S,
               rows * size);
        });
    });
    exchange.run();
  }

 private:
  /// From one stage to another: each is null where it is on another rank.
  void pass(Exchange& exchange, AlignedArray<T>* from, AlignedArray<T>* to, int giver, int taker,
            std::size_t count) const {
    if (from != nullptr && to != nullptr)
      std::swap(*from, *to);
    else if (from != nullptr)
      exchange.send(owner(taker), from->data(), count);
    else if (to != nullptr)
      exchange.receive(owner(giver), to->data(), count);
  }

  template <int... S>
  static auto tuple_of(std::integer_sequence<int, S...>) -> std::tuple<std::unique_ptr<Stage<S>>...>;

  Communicator* world_;
  decltype(tuple_of(std::make_integer_sequence<int, Parts::count>{})) stages_;
};

}  // namespace detail

SINTER_NAMESPACE_END
