// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sinter/optimizer/sgd.hpp"
#include "support/cuda_on_host.hpp"

namespace sinter_test {

/// One step by the plan `resident`, at rate 0, by the interface of the reference: losses and the gradient of the
/// parameters. `fit` is how many rows a block's memory is said to hold.
template <class Model, class T>
class ResidentOnHost {
  using Ops = sinter::internal::Program<Model>;
  static constexpr std::size_t arena = static_cast<std::size_t>(Ops::arena_size);
  using Memory = sinter::internal::gpu_kernels::ResidentMemory<Model, T, 1>;

 public:
  static constexpr bool fits = !sinter::internal::gpu_kernels::Stages<Model>::of_batch &&
                               Memory::bytes(1) <= sinter::internal::gpu_kernels::most_shared_memory;

  explicit ResidentOnHost(int fit = 3) : fit_(fit) {}

  void forward(const T* parameters, const T* x, std::size_t rows, T* y) { tiles_.forward(parameters, x, rows, y); }

  template <class Loss, class Problem>
  double accumulate(const T* parameters, const sinter::internal::TrainingBatch<const T*, Problem>& batch,
                    const Loss& loss, const sinter::internal::GradientSum<T, T*>& to) {
    using Data = sinter::internal::gpu_kernels::Rows<T, T, T>;
    using Update = sinter::SGD::Update<T>;
    using K = sinter::internal::gpu_kernels::Resident<Model, T, Data, Loss, Update, 1>;
    const auto rows = static_cast<std::uint32_t>(batch.rows);
    const sinter::internal::gpu_kernels::Epoch epoch{nullptr, batch.key};
    const Update update = sinter::SGD{.lr = 0}.at<T>(0);
    std::vector<T> weights(parameters, parameters + arena), gradient(arena), state(arena);
    double sum = 0;
    sinter::internal::gpu_kernels::StepStatus status{};
    const typename K::Member member{{rows, rows, 1, 0, 1, {0, 1}, &epoch},
                                    fit_,
                                    &update,
                                    weights.data(),
                                    gradient.data(),
                                    state.data(),
                                    &sum,
                                    &status};
    typename K::Args args{};
    args.step = {{batch.inputs, batch.targets.wanted.data(), 1, 0}, 0, nullptr, batch.samples, loss};
    args.groups = 1;
    args.members = &member;
    HostLauncher{}.template operator()<K>(args, 1, K::Memory::bytes(fit_));
    steps_ += status.steps;
    // Of the mean over the rows.
    const T scale = to.scale * static_cast<T>(batch.rows);
    for (std::size_t i = 0; i < arena; ++i) to.gradient[i] = to.fraction * to.gradient[i] + scale * gradient[i];
    return sum;
  }

  /// Updates made.
  std::uint32_t steps() const { return steps_; }

 private:
  int fit_;
  std::uint32_t steps_ = 0;
  CudaOnHost<Model, T, KernelPlan::tiles> tiles_;
};

}  // namespace sinter_test
