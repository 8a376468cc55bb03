// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/core/finite.hpp"
#include "sinter/data/row_range.hpp"
#include "sinter/kernels/host_steps.hpp"
#include "sinter/kernels/step_arguments.hpp"
#include "sinter/ranks/micro_batches.hpp"
#include "sinter/ranks/pipeline_array.hpp"
#include "sinter/ranks/pipeline_passes.hpp"
#include "sinter/ranks/same_on_all.hpp"
#include "sinter/ranks/stages_of_rank.hpp"
#include "sinter/ranks/true_on_all.hpp"
#include "sinter/train/evaluate.hpp"
#include "sinter/train/problem.hpp"

SINTER_NAMESPACE_BEGIN

template <class Places, class Device>
struct Pipeline;

namespace detail {

/// Runs a model whose stages are on different ranks: see StagesOfRank. Its arrays have the numbers of a rank's stages
/// alone.
template <class Model, class T, class Places, class OfStage>
class PipelineEngine {
  using Ops = Program<Model>;
  using Parts = Stages<Model, Places>;
  using Own = StagesOfRank<Model, T, Places, OfStage>;

 public:
  using Device = Pipeline<Places, OfStage>;
  template <class Number>
  using Array = PipelineArray<Number, Parts>;
  static constexpr bool keeps_data = true;  // not in the memory of this rank alone
  using StepLoss = T;

  static Array<T> zeros(const Device& device, std::size_t size) { return Array<T>(device.world, size); }
  static Array<T> to_device(const Device& device, const AlignedArray<T>& values) {
    Array<T> own(device.world, values.size());
    own.take(values.data());
    return own;
  }
  static AlignedArray<T> to_host(const Array<T>& values) { return values.gather(); }

  explicit PipelineEngine(const Device& device)
      : stages_(device.world, device),
        micro_batches_(static_cast<std::size_t>(device.micro_batches)),
        device_(device) {}
  int threads() const { return 1; }

  // -- inference ------------------------------------------------------------------------------------------------------

  struct Workspace {
    explicit Workspace(const Device& device, std::size_t /*most_rows*/ = 0) : engine(device) {}
    PipelineEngine engine;
  };
  /// y [batch][output] on all ranks, each of which has x.
  template <class View>
  static void forward(const T* parameters, const BatchInputs<View>& from, std::size_t batch, Workspace& workspace,
                      T* y) {
    workspace.engine.infer(parameters, from, batch, y);
  }
  template <class View>
  static void forward_tiles(const T* parameters, const BatchInputs<View>& from, std::size_t batch, Workspace& workspace,
                            T* y) {
    forward(parameters, from, batch, workspace, y);
  }
  template <Dataset D>
  void predict(const T* parameters, const HostData<D>& kept, std::size_t first, std::size_t count, T* y,
               std::size_t /*chunks*/ = 1) {
    infer(parameters, BatchInputs<inputs_of<D>>{kept.data.inputs(), {nullptr, first}, normalize_of(kept.data)}, count,
          y);
  }
  /// The sums over all rows.
  template <Dataset D, class Loss>
  EvaluationSums judge(const T* parameters, const HostData<D>& kept, const Loss& loss, std::size_t /*chunks*/ = 1) {
    EvaluationSums sums;
    add_rows(Judged{parameters, device_}, kept.data, ReadsAll{}, loss, sums);
    return sums;
  }

  // -- training, a batch at a time ------------------------------------------------------------------------------------

  template <class Loss, class View, class Given, class InputGradient>
  double accumulate(const T* parameters, const TrainingBatch<BatchInputs<View>, Given>& batch, const Loss& loss,
                    const GradientSum<T, InputGradient>& to) {
    check_same(batch);
    return PipelinePasses<Own, T, TrainingBatch<BatchInputs<View>, Given>, Loss, GradientSum<T, InputGradient>>(
               stages_, parameters, batch, micro_batches_, loss, to)
        .run();
  }

  /// As RunningStatistics of the host's engines.
  struct Statistics {
    Own& stages;
    void drop() {
      stages.for_each([](auto, auto& stage) { stage.drop_statistics(); });
    }
    void keep(T* network) {
      stages.for_each(
          [&](auto s, auto& stage) { stage.keep_statistics(stages.parameters_of(decltype(s)::value, network)); });
    }
  };
  Statistics statistics() { return {stages_}; }

  static void scale(Array<T>& gradient, T share) { gradient.scale(share); }
  static bool all_finite(const Array<T>& gradient) { return gradient.all_finite(); }

  /// Whether gradient and weights are finite on all ranks, and stay so.
  template <class Optimizer>
  bool update_is_finite(const UpdateStep<Optimizer>& update, const Arenas<const T>& arenas) const {
    bool own = true;
    for_each_update(update, arenas, [&](const auto& stage, const auto&... of_stage) {
      own = own && stage.update_is_finite(of_stage...);
    });
    return true_on_all(device_.world, own);
  }
  /// Fails, on all ranks, if a weight would not be finite.
  template <class Optimizer>
  void apply(const UpdateStep<Optimizer>& update, const Arenas<T>& arenas) {
    if (!update_is_finite(update, {arenas.parameters, arenas.gradient, arenas.state}))
      fail(weight_problem(update.step));
    apply_finite(update, arenas);
  }

  // -- training, a step at a time -------------------------------------------------------------------------------------

  /// A whole step. The update contains the number of updates made, and the key of the masks the number of steps tried,
  /// both as of the last `look`.
  template <class Loss, class View, class Targets, class Optimizer>
  T step(const TrainingBatch<BatchInputs<View>, Targets>& batch, const Loss& loss, const UpdateStep<Optimizer>& update,
         const Arenas<T>& arenas) {
    std::vector<std::uint32_t> samples(batch.rows);
    std::iota(samples.begin(), samples.end(), std::uint32_t{0});
    auto in_order = batch;
    in_order.samples = samples.data();
    if constexpr (Ops::buffer_count > 0) statistics().drop();
    in_order.key.step += static_cast<std::uint32_t>(tried_);
    const UpdateStep<Optimizer> next{update.optimizer, update.step + made_, update.factors};
    const double rows = static_cast<double>(batch.rows);
    const double loss_of_step = accumulate(arenas.parameters, in_order, loss,
                                           GradientSum<T>{static_cast<T>(1 / rows), arenas.gradient, nullptr, T(0)}) /
                                rows;
    const bool sound =
        is_finite(loss_of_step) && update_is_finite(next, {arenas.parameters, arenas.gradient, arenas.state});
    if (sound) {
      apply_finite(next, arenas);
      if constexpr (Ops::buffer_count > 0) statistics().keep(arenas.parameters);
    }
    made_ += sound;
    ++tried_;
    latest_ = {{update.step + made_, static_cast<long>(batch.key.step) + tried_}, loss_of_step, !sound};
    return static_cast<T>(loss_of_step);
  }
  /// What such steps have done since the last `look`.
  struct Latest {
    struct {
      long steps, tried;
    } counts;
    double loss;
    bool unsound;
  };
  bool ahead() const { return tried_ > 0; }
  Latest look() {
    made_ = tried_ = 0;
    return latest_;
  }

  // -- training, many steps at a time ---------------------------------------------------------------------------------

  template <Dataset D>
  static HostData<D> keep(const D& data, bool /*to_learn*/ = false) {
    return {data, data.size()};
  }
  template <Dataset D>
  static auto kept_inputs(const D& data, const HostData<D>&) {
    return subset(data, 0, data.size());
  }
  template <int States>
  static std::size_t most_steps(std::size_t /*batch*/) {
    return 4096;
  }
  template <Dataset D, class Loss, class Optimizer>
  StepsDone steps(const HostData<D>& kept, const StepsWanted& wanted, const Loss& loss,
                  const UpdateStep<Optimizer>& update, const Arenas<T>& arenas) {
    Stepped engine{*this};
    return steps_.run(engine, kept, wanted, loss, update, arenas);
  }

 private:
  /// What HostSteps asks of an engine. Each rank checks the numbers that it has.
  struct Stepped {
    PipelineEngine& engine;

    template <class... Given>
    double accumulate(const Given&... given) {
      return engine.accumulate(given...);
    }
    static bool gradient_is_moderate() { return true; }  // update_is_finite checks it
    template <class Optimizer>
    bool update_is_finite(const UpdateStep<Optimizer>& update, const Arenas<const T>& arenas, bool) const {
      return engine.update_is_finite(update, arenas);
    }
    template <class Optimizer>
    bool apply(const UpdateStep<Optimizer>& update, const Arenas<T>& arenas) {
      engine.apply_finite(update, arenas);
      return false;
    }
    Statistics statistics() { return engine.statistics(); }
    struct NoStates {
      static void reset() {}
    };
    static NoStates carried() { return {}; }
  };
  /// A network, as forward_all takes it.
  struct Judged {
    using Scalar = T;
    using Engine = PipelineEngine;
    using Ops = PipelineEngine::Ops;
    static constexpr int output_size = Ops::output.size();
    const T* parameters;
    const Device& of;
    const T* data() const { return parameters; }
    const Device& device() const { return of; }
  };

  template <class View>
  void infer(const T* parameters, const BatchInputs<View>& from, std::size_t rows, T* y) {
    constexpr std::size_t at_once = 512, outputs = static_cast<std::size_t>(Ops::output.size());
    constexpr int last = Own::last;
    const MicroBatches batches(rows, (rows + at_once - 1) / at_once);
    stages_.for_each([&](auto, auto& stage) { stage.reserve(batches.most_rows(), 0); });
    for (int tick = 0; tick < batches.ticks(last); ++tick) {
      stages_.for_each([&](auto s, auto& stage) {
        constexpr int S = decltype(s)::value;
        batches.at(tick - S, [&](std::size_t, std::size_t first, std::size_t count) {
          stage.infer(stages_.parameters_of(S, parameters), Own::template inputs_of<S>(stage, from, first, count),
                      count, S == last ? y + first * outputs : stage.y.data());
        });
      });
      stages_.pass_on(batches, tick, false);
    }
    Exchange exchange(stages_.world());
    exchange.share(stages_.owner(last), y, rows * outputs);
    exchange.run();
  }

  template <class Optimizer>
  void apply_finite(const UpdateStep<Optimizer>& update, const Arenas<T>& arenas) const {
    for_each_update(update, arenas, [](const auto& stage, const auto&... of_stage) { stage.apply(of_stage...); });
  }
  /// f(stage, update, arenas) for each stage here, with what is its own.
  template <class Optimizer, class Number, class F>
  void for_each_update(const UpdateStep<Optimizer>& update, const Arenas<Number>& all, F&& f) const {
    stages_.for_each([&](auto s, auto& stage) {
      constexpr int S = decltype(s)::value;
      constexpr const StageArena& own = Parts::arenas[std::size_t{S}];
      std::vector<double> factors;
      if (!update.factors.empty())
        factors.assign(update.factors.begin() + own.first_parameter,
                       update.factors.begin() + own.first_parameter + own.parameter_count);
      f(stage, UpdateStep<Optimizer>{update.optimizer, update.step, factors},
        Arenas<Number>{stages_.parameters_of(S, all.parameters), stages_.numbers_of(S, all.gradient, 1, false),
                       stages_.numbers_of(S, all.state, std::size_t{Optimizer::states}, false)});
    });
  }

  /// Before the batches 1, 2, 4, 8 ..: fails, on all ranks, where one differs from rank 0, and says in what.
  template <class Batch>
  void check_same(const Batch& batch) {
    if (stages_.ranks() == 1 || !std::has_single_bit(++batches_)) return;
    compare(stages_.world(), {{"the model", false, fingerprint_of<Model>()},
                              {"where it is cut", false, hash_of(&Parts::borders, sizeof(Parts::borders))},
                              {"the micro-batches", true, micro_batches_},
                              {"the bytes of a number", true, sizeof(T)},
                              {"the seed", true, batch.key.seed},
                              {"the epoch or step", true, batch.key.step},
                              {"the rows of a batch", true, batch.rows},
                              {"the order of the rows, which follows from seed and size of the data", false,
                               hash_of(batch.samples, batch.rows * sizeof(*batch.samples))}});
  }

  Own stages_;
  std::size_t micro_batches_;
  Device device_;
  HostSteps<Model, T> steps_;
  std::uint64_t batches_ = 0;
  Latest latest_{};
  long made_ = 0, tried_ = 0;  // steps since the last `look`
};

}  // namespace detail

SINTER_NAMESPACE_END
