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
#include "sinter/ranks/divided_array.hpp"
#include "sinter/ranks/true_on_all.hpp"
#include "sinter/train/evaluate.hpp"
#include "sinter/train/problem.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// What engines have in common that run a model of which each rank has a part. Its arrays have the numbers of that part
/// alone. `Own` is what the rank has: for_each(f) calls f(u, unit) for its units, u as a constant, whose numbers are
/// those that Own::Units says. `Derived` has infer(), as predict(), and accumulate().
template <class Derived, class Model, class T, class DeviceType, class Own>
class DividedEngine : public HostSteps<Derived, Model, T> {
 protected:
  using Ops = Program<Model>;
  using Units = typename Own::Units;

 public:
  using Device = DeviceType;
  template <class Number>
  using Array = DividedArray<Number, Units>;
  static constexpr bool keeps_data = true;  // not in the memory of this rank alone
  using StepLoss = T;

  static Array<T> zeros(const Device& device, std::size_t size) { return Array<T>(device.world, size); }
  static Array<T> to_device(const Device& device, const AlignedArray<T>& values) {
    Array<T> own(device.world, values.size());
    own.take(values.data());
    return own;
  }
  static AlignedArray<T> to_host(const Array<T>& values) { return values.gather(); }

  explicit DividedEngine(const Device& device) : units_(device.world, device), device_(device) {}
  int threads() const { return 1; }

  // -- inference ------------------------------------------------------------------------------------------------------

  struct Workspace {
    explicit Workspace(const Device& device, std::size_t /*most_rows*/ = 0) : engine(device) {}
    Derived engine;
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
    self().infer(parameters, BatchInputs<inputs_of<D>>{kept.data.inputs(), {nullptr, first}, normalize_of(kept.data)},
                 count, y);
  }
  /// The sums over all rows.
  template <Dataset D, class Loss>
  EvaluationSums evaluate(const T* parameters, const HostData<D>& kept, const Loss& loss, std::size_t /*chunks*/ = 1) {
    EvaluationSums sums;
    add_rows(Evaluated{parameters, device_}, kept.data, ReadsAll{}, loss, sums);
    return sums;
  }

  // -- training, a batch at a time ------------------------------------------------------------------------------------

  /// As RunningStatistics of the host's engines.
  struct Statistics {
    Own& own;
    void drop() {
      own.for_each([](auto, auto& unit) { unit.drop_statistics(); });
    }
    void keep(T* network) {
      own.for_each([&](auto u, auto& unit) { unit.keep_statistics(own.parameters_of(decltype(u)::value, network)); });
    }
  };
  Statistics statistics() { return {units_}; }

  static void scale(Array<T>& gradient, T fraction) { gradient.scale(fraction); }
  static bool all_finite(const Array<T>& gradient) { return gradient.all_finite(); }

  /// As if it were known: update_is_finite looks at the gradient, too, and no weights are known to be moderate.
  static bool gradient_is_moderate() { return true; }
  /// Whether gradient and weights are finite on all ranks, and stay so.
  template <class Optimizer>
  bool update_is_finite(const UpdateStep<Optimizer>& update, const Arenas<const T>& arenas,
                        bool /*gradient_is_moderate*/ = false) const {
    bool own = true;
    for_each_update(update, arenas,
                    [&](const auto& unit, const auto&... of_unit) { own = own && unit.update_is_finite(of_unit...); });
    return true_on_all(device_.world, own);
  }
  /// Fails, on all ranks, if a weight would not be finite.
  template <class Optimizer>
  void apply(const UpdateStep<Optimizer>& update, const Arenas<T>& arenas) const {
    if (!update_is_finite(update, {arenas.parameters, arenas.gradient, arenas.state}))
      fail(weight_problem(update.step));
    apply_finite(update, arenas);
  }
  template <class Optimizer>
  bool apply_finite(const UpdateStep<Optimizer>& update, const Arenas<T>& arenas) const {
    for_each_update(update, arenas, [](const auto& unit, const auto&... of_unit) { unit.apply(of_unit...); });
    return false;
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
    const double loss_of_step =
        self().accumulate(arenas.parameters, in_order, loss,
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

 protected:
  Own& units() { return units_; }
  const Device& device() const { return device_; }
  /// Whether ranks are to compare what they have in common: before the batches 1, 2, 4, 8 ..
  bool compares() { return units_.ranks() > 1 && std::has_single_bit(++batches_); }

 private:
  Derived& self() { return static_cast<Derived&>(*this); }

  /// A network, as forward_all takes it.
  struct Evaluated {
    using Scalar = T;
    using Engine = Derived;
    using Ops = DividedEngine::Ops;
    static constexpr int output_size = Ops::output.size();
    const T* parameters;
    const Device& of;
    const T* data() const { return parameters; }
    const Device& device() const { return of; }
  };

  /// f(unit, update, arenas) for each unit here, with what is its own.
  template <class Optimizer, class Number, class F>
  void for_each_update(const UpdateStep<Optimizer>& update, const Arenas<Number>& all, F&& f) const {
    units_.for_each([&](auto u, auto& unit) {
      constexpr int U = decltype(u)::value;
      constexpr const auto& place = Units::arenas[std::size_t{U}];
      std::vector<double> factors;
      if (!update.factors.empty())
        factors.assign(update.factors.begin() + place.first_parameter,
                       update.factors.begin() + place.first_parameter + place.parameter_count);
      f(unit, UpdateStep<Optimizer>{update.optimizer, update.step, factors},
        Arenas<Number>{units_.parameters_of(U, all.parameters), units_.numbers_of(U, all.gradient, 1, false),
                       units_.numbers_of(U, all.state, std::size_t{Optimizer::states}, false)});
    });
  }

  Own units_;
  Device device_;
  std::uint64_t batches_ = 0;
  Latest latest_{};
  long made_ = 0, tried_ = 0;  // steps since the last `look`
};

}  // namespace detail

SINTER_NAMESPACE_END
