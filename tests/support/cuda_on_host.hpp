// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "sinter/kernels/carried_numbers.hpp"
#include "sinter/kernels/gpu/carried.hpp"
#include "sinter/kernels/gpu/infer.hpp"
#include "sinter/kernels/gpu/resident.hpp"
#include "sinter/kernels/gpu/train_tiles.hpp"
#include "sinter/kernels/gpu/update.hpp"
#include "sinter/loss/target.hpp"

/// The kernels of the Cuda device on the CPU: a launcher, and their plans by the interface of the reference.
namespace sinter_test {

/// Launches kernels on the host executor. Their memory starts as NaN.
struct HostLauncher {
  template <class K>
  void operator()(const typename K::Args& args, int blocks, std::size_t shared_bytes) {
    std::vector<double> shared(shared_bytes / sizeof(double) + 1);
    for (int block = 0; block < blocks; ++block) {
      std::memset(shared.data(), 0xff, shared.size() * sizeof(double));
      sinter::internal::executor::Host<K::whole_grid> x(block, blocks, K::threads,
                                                        reinterpret_cast<std::byte*>(shared.data()));
      K::run(x, args);
    }
  }
  // What a launcher that watches memory wants to know.
  void given(const void*, std::size_t) {}
  void wanted(const void*, std::size_t) {}
  void expect(const void*, std::size_t) {}
};

enum class KernelPlan { tiles, phases };

/// One plan. `fit` is how many rows a team's memory is said to hold.
template <class Model, class T, KernelPlan Plan, class Launcher = HostLauncher,
          sinter::CudaProducts Products = sinter::CudaProducts::float32>
class CudaOnHost {
  using Ops = sinter::internal::Program<Model>;
  static constexpr int arena = Ops::arena_size, inputs = Ops::input.size(), outputs = Ops::output.size();
  static constexpr int expected = Plan == KernelPlan::phases ? sinter::internal::gpu_kernels::Expected::grid
                                                             : sinter::internal::gpu_kernels::Expected::tile;

 public:
  explicit CudaOnHost(int fit = 3, Launcher launcher = {}, int grid = 3)
      : fit_(fit), launch_(std::move(launcher)), grid_(grid) {}

  void forward(const T* parameters, const T* x, std::size_t rows, T* y) {
    using Data = sinter::internal::gpu_kernels::Rows<T, int, T>;
    using Pass = sinter::internal::gpu_kernels::Inference<Model, T, Data, expected>;
    typename Pass::Args args{};
    args.step.data = {x, nullptr, 1, 0};
    args.batch = static_cast<int>(rows);
    args.rows = Plan == KernelPlan::phases ? args.batch : fit_;
    args.parameters = parameters;
    args.outputs = y;
    launch_.given(parameters, static_cast<std::size_t>(Ops::storage_size));
    launch_.wanted(y, rows * outputs);
    launch_.given(x, rows * inputs);
    args.carried = begin_batch(rows);
    const int tiles = sinter::internal::divide_up(args.batch, args.rows);
    const std::size_t bytes = Pass::Memory::bytes(args.rows);
    std::vector<double> memory;
    if (Plan == KernelPlan::phases) args.memory = far(memory, bytes);
    if constexpr (Plan == KernelPlan::phases)
      each<sinter::internal::gpu_kernels::InferPhase<Model, T, Data, 0, Products>::count>([&](auto i) {
        using K = sinter::internal::gpu_kernels::InferPhase<Model, T, Data, decltype(i)::value, Products>;
        launch_.template operator()<K>(args, grid_, K::shared_bytes);
      });
    else {
      std::vector<std::uint64_t> answered(static_cast<std::size_t>(tiles), 0);
      args.completion = {answered.data(), 7};
      launch_.wanted(answered.data(), answered.size());
      launch_.template operator()<sinter::internal::gpu_kernels::InferTiles<Model, T, Data>>(args, tiles, bytes);
      launch_.expect(answered.data(), answered.size());
      answers_ &= std::count(answered.begin(), answered.end(), std::uint64_t{7}) == tiles;
    }
    expect_states(rows);
    launch_.expect(y, rows * outputs);
  }

  /// The states that the next batch begins with, if they are given, and leaves.
  sinter::internal::gpu_kernels::Carried<T> carried{};

  /// Whether each block of every forward pass has said that it was done.
  bool all_answered() const { return answers_; }

  template <class Loss, class Problem>
  double accumulate(const T* parameters, const sinter::internal::TrainingBatch<const T*, Problem>& batch,
                    const Loss& loss, const sinter::internal::GradientSum<T, T*>& to) {
    const auto& [x, rows, problem, samples, key] = batch;
    const auto& [scale, gradient, input_gradient, fraction, losses_of_heads] = to;
    constexpr bool classes = std::is_same_v<typename Loss::Target, sinter::ClassTarget>;
    using Target = std::conditional_t<classes, int, T>;
    using Data = sinter::internal::gpu_kernels::Rows<T, Target, T>;
    const Target* targets = nullptr;
    if constexpr (classes)
      targets = problem.labels.data();
    else
      targets = problem.wanted.data();
    using Step = sinter::internal::gpu_kernels::Training<Model, T, Data, Loss, true, expected>;
    std::vector<T> unwanted(input_gradient ? 0 : rows * inputs);
    const auto cut =
        sinter::internal::gpu_kernels::Cut::of(static_cast<int>(rows), Plan == KernelPlan::phases ? 1 << 30 : fit_);
    std::vector<T> slots(static_cast<std::size_t>(cut.slot_count * arena));
    std::vector<double> losses(static_cast<std::size_t>(cut.slot_count), 0.0), memory;

    typename Step::Args args{};
    const sinter::internal::gpu_kernels::Epoch epoch{nullptr, key};
    args.step = {{x, targets, 1, 0}, 0, &epoch, samples, loss};
    args.scale = scale;
    args.cut = Plan == KernelPlan::phases
                   ? sinter::internal::gpu_kernels::Cut{static_cast<int>(rows), static_cast<int>(rows), 1, 1}
                   : cut;
    args.parameters = parameters;
    args.slot_gradients = slots.data();
    args.losses = losses.data();
    args.to_input = input_gradient ? input_gradient : unwanted.data();
    const std::size_t bytes = Step::Memory::bytes(args.cut.rows);
    if (Plan == KernelPlan::phases) args.memory = far(memory, bytes);
    launch_.given(parameters, static_cast<std::size_t>(Ops::storage_size));
    launch_.given(x, rows * inputs);
    launch_.given(targets, classes ? rows : rows * outputs);
    launch_.given(samples, rows);
    args.carried = begin_batch(rows);
    launch_.wanted(slots.data(), slots.size());
    launch_.wanted(losses.data(), losses.size());
    launch_.wanted(args.to_input, rows * inputs);
    if constexpr (Plan == KernelPlan::phases)
      each<sinter::internal::gpu_kernels::TrainPhase<Model, T, Data, Loss, true, 0, Products>::count>([&](auto i) {
        using K = sinter::internal::gpu_kernels::TrainPhase<Model, T, Data, Loss, true, decltype(i)::value, Products>;
        launch_.template operator()<K>(args, grid_, K::shared_bytes);
      });
    else
      launch_.template operator()<sinter::internal::gpu_kernels::TrainTiles<Model, T, Data, Loss, true>>(
          args, args.cut.slot_count, bytes);

    for (int slot = 0; slot < args.cut.slot_count; ++slot)
      for (const sinter::internal::Parameter& p : Ops::parameters)
        launch_.expect(slots.data() + slot * arena + p.offset, static_cast<std::size_t>(p.size));
    launch_.expect(args.to_input, rows * inputs);
    expect_states(rows);
    launch_.given(slots.data(), slots.size());  // the gaps between parameters too

    double sum = 0;
    std::vector<std::uint32_t> bad(static_cast<std::size_t>(grid_));
    launch_.given(gradient, static_cast<std::size_t>(arena));
    launch_.wanted(&sum, 1);
    launch_.wanted(bad.data(), bad.size());
    launch_.template operator()<sinter::internal::gpu_kernels::Combine<T>>(
        {{slots.data(), losses.data(), args.cut.slot_count, arena}, gradient, fraction, &sum, bad.data(), grid_}, grid_,
        sinter::internal::gpu_kernels::Combine<T>::memory);
    launch_.expect(&sum, 1);
    launch_.expect(bad.data(), bad.size());
    return sum;
  }

 private:
  using States = sinter::internal::CarriedNumbers<Ops>;
  sinter::internal::gpu_kernels::Carried<T> begin_batch(std::size_t rows) {
    if (carried.follows) launch_.given(carried.before, rows * States::size);
    if (carried.after != nullptr) launch_.wanted(carried.after, rows * States::size);
    return carried;
  }
  void expect_states(std::size_t rows) {
    for (std::size_t row = 0; carried.after != nullptr && row < rows; ++row)
      for (int i = 0; i < Ops::op_count; ++i) {
        const sinter::internal::Op& op = Ops::ops[static_cast<std::size_t>(i)];
        if (op.kind == sinter::internal::OpKind::recurrence)
          launch_.expect(carried.after + States::of_row(row, i),
                         static_cast<std::size_t>(op.h_size() + (op.gates == 4 ? op.hidden : 0)));
      }
  }

  template <int N, class F>
  static void each(F&& f) {
    [&]<int... I>(std::integer_sequence<int, I...>) {
      (f(std::integral_constant<int, I>{}), ...);
    }(std::make_integer_sequence<int, N>{});
  }
  std::byte* far(std::vector<double>& memory, std::size_t bytes) {
    memory.resize(bytes / sizeof(double) + 1);
    std::memset(memory.data(), 0xff, memory.size() * sizeof(double));
    launch_.wanted(reinterpret_cast<std::byte*>(memory.data()), bytes);
    return reinterpret_cast<std::byte*>(memory.data());
  }

  int fit_;
  bool answers_ = true;
  Launcher launch_;
  int grid_;  // blocks of a launch over the whole grid
};

}  // namespace sinter_test
