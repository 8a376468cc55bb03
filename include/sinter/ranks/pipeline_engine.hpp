// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "sinter/kernels/step_arguments.hpp"
#include "sinter/ranks/divided_engine.hpp"
#include "sinter/ranks/micro_batches.hpp"
#include "sinter/ranks/pipeline_passes.hpp"
#include "sinter/ranks/same_on_all.hpp"
#include "sinter/ranks/stages_of_rank.hpp"

SINTER_NAMESPACE_BEGIN

template <class Places, class Device>
struct Pipeline;

namespace detail {

/// Runs a model whose stages are on different ranks: see StagesOfRank.
template <class Model, class T, class Places, class OfStage>
class PipelineEngine : public DividedEngine<PipelineEngine<Model, T, Places, OfStage>, Model, T,
                                            Pipeline<Places, OfStage>, StagesOfRank<Model, T, Places, OfStage>> {
  using Own = StagesOfRank<Model, T, Places, OfStage>;
  using Base = DividedEngine<PipelineEngine, Model, T, Pipeline<Places, OfStage>, Own>;

 public:
  using Base::Base;

  template <class View>
  void infer(const T* parameters, const BatchInputs<View>& from, std::size_t rows, T* y) {
    constexpr std::size_t at_once = 512, outputs = static_cast<std::size_t>(Base::Ops::output.size());
    constexpr int last = Own::last;
    Own& stages = this->units();
    const MicroBatches batches(rows, (rows + at_once - 1) / at_once);
    stages.for_each([&](auto, auto& stage) { stage.reserve(batches.most_rows(), 0); });
    for (int tick = 0; tick < batches.ticks(last); ++tick) {
      stages.for_each([&](auto s, auto& stage) {
        constexpr int S = decltype(s)::value;
        batches.at(tick - S, [&](std::size_t, std::size_t first, std::size_t count) {
          stage.infer(stages.parameters_of(S, parameters), Own::template inputs_of<S>(stage, from, first, count), count,
                      S == last ? y + first * outputs : stage.y.data());
        });
      });
      stages.pass_on(batches, tick, false);
    }
    Exchange exchange(stages.world());
    exchange.share(stages.owner(last), y, rows * outputs);
    exchange.run();
  }

  template <class Loss, class View, class Given, class InputGradient>
  double accumulate(const T* parameters, const TrainingBatch<BatchInputs<View>, Given>& batch, const Loss& loss,
                    const GradientSum<T, InputGradient>& to) {
    check_same(batch);
    return PipelinePasses<Own, T, TrainingBatch<BatchInputs<View>, Given>, Loss, GradientSum<T, InputGradient>>(
               this->units(), parameters, batch, micro_batches(), loss, to)
        .run();
  }

 private:
  std::size_t micro_batches() const { return static_cast<std::size_t>(this->device().micro_batches); }

  /// Fails, on all ranks, where one differs from rank 0, and says in what.
  template <class Batch>
  void check_same(const Batch& batch) {
    if (!this->compares()) return;
    using Parts = typename Own::Units;
    compare(this->units().world(), {{"the model", false, fingerprint_of<Model>()},
                                    {"where it is cut", false, hash_of(&Parts::borders, sizeof(Parts::borders))},
                                    {"the micro-batches", true, micro_batches()},
                                    {"the bytes of a number", true, sizeof(T)},
                                    {"the seed", true, batch.key.seed},
                                    {"the epoch or step", true, batch.key.step},
                                    {"the rows of a batch", true, batch.rows},
                                    {"the order of the rows, which follows from seed and size of the data", false,
                                     hash_of(batch.samples, batch.rows * sizeof(*batch.samples))}});
  }
};

}  // namespace detail

SINTER_NAMESPACE_END
