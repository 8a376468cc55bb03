// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/kernels/cuda/describe.cuh"
#include "sinter/kernels/cuda/engine.cuh"
#include "sinter/network/fingerprint.hpp"
#include "sinter/ranks/ranks.hpp"
#include "sinter/ranks/same_on_all.hpp"
#include "sinter/ranks/slots_over_ranks.cuh"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// A GPU's engine by the plan pair, for a part of each batch.
template <class Model, class T, CudaPlan Wanted>
class RanksCudaEngine : public CudaEngine<Model, T, CudaPlan::pair, SlotsOverRanks> {
  using Base = CudaEngine<Model, T, CudaPlan::pair, SlotsOverRanks>;

 public:
  using Device = Ranks<CudaWith<Wanted>>;

  explicit RanksCudaEngine(const Device& device)
      : Base(device, SlotsOverRanks(device.world, device)),
        world_(device.world != nullptr && device.world->size() > 1 ? device.world : nullptr),
        device_(device),
        shared_(world_ != nullptr ? gpu_kernels::Loaded::of<Model, T>(device_).shared : 0) {}

  template <class Batch, class Loss, class Sum>
  double accumulate(const T* parameters, const Batch& batch, const Loss& loss, const Sum& to) {
    check_batch(parameters, batch);
    return Base::accumulate(parameters, batch, loss, to);
  }
  template <class Batch, class Loss, class Optimizer>
  auto step(const Batch& batch, const Loss& loss, const UpdateStep<Optimizer>& update, const Arenas<T>& arenas) {
    check_not_captured();
    check_batch(arenas.parameters, batch);
    return Base::step(batch, loss, update, arenas);
  }
  template <class Kept, class Loss, class Optimizer>
  StepsDone steps(const Kept& kept, const StepsWanted& wanted, const Loss& loss, const UpdateStep<Optimizer>& update,
                  const Arenas<T>& arenas) {
    check(arenas.parameters,
          {wanted.order.seed, wanted.order.epoch, wanted.batch, kept.size, wanted.first, wanted.count});
    return Base::steps(kept, wanted, loss, update, arenas);
  }

 private:
  struct Numbers {
    std::uint64_t seed, epoch, batch, size, first, count;
  };

  template <class Batch>
  void check_batch(const T* parameters, const Batch& batch) {
    check(parameters, {batch.key.seed, batch.key.step, batch.rows, batch.rows, 0, 1});
  }
  /// Fails, on all ranks, where one differs from rank 0. Weights are compared in calls 1, 2, 4, 8 ..
  void check(const T* parameters, const Numbers& now) {
    if (world_ == nullptr) return;
    const std::uint64_t weights = std::has_single_bit(++calls_) ? hash_of_weights(parameters) : 0;
    compare(*world_, {{"the model", false, fingerprint_of<Model>()},
                      {"the bytes of a number", true, sizeof(T)},
                      {"the shared memory of a block of its GPU, in bytes", true, shared_},
                      {"the seed", true, now.seed},
                      {"the epoch or step", true, now.epoch},
                      {"the rows of a batch", true, now.batch},
                      {"the rows of the data", true, now.size},
                      {"the row of the epoch", true, now.first},
                      {"the steps to make", true, now.count},
                      {"the weights, which follow from seed, checkpoint and optimizer", false, weights}});
  }
  std::uint64_t hash_of_weights(const T* parameters) const {
    const CurrentCudaDevice current(device_.device);
    std::vector<T> weights(static_cast<std::size_t>(Program<Model>::storage_size));
    cuda_check(
        cudaMemcpyAsync(weights.data(), parameters, weights.size() * sizeof(T), cudaMemcpyDeviceToHost, device_.stream),
        "copying from a CUDA device");
    cuda_check(cudaStreamSynchronize(device_.stream), "waiting for a copy from a CUDA device");
    return hash_of(weights.data(), weights.size() * sizeof(T));
  }
  void check_not_captured() const {
    if (device_.stream == nullptr) return;
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    cuda_check(cudaStreamIsCapturing(device_.stream, &status), "asking whether a stream is captured");
    if (status == cudaStreamCaptureStatusActive)
      fail(
          "a step of a network on ranks was captured into a graph, and ranks exchange numbers in each step; make steps "
          "outside of captures");
  }

  Communicator* world_;
  Cuda device_;
  std::size_t shared_;
  std::uint64_t calls_ = 0;
};

}  // namespace detail

template <class Model, class T, CudaPlan Wanted, CudaProducts Products>
struct EngineFor<Model, T, Ranks<CudaWith<Wanted, Products>>> {
  using Choose = gpu_kernels::Choose<Model, T, 0>;
  static constexpr bool by_pair = Wanted == CudaPlan::automatic || Wanted == CudaPlan::pair;
  static_assert(by_pair, "sinter: ranks divide batches on the GPU only by the plan pair: Ranks<Cuda>");
  static constexpr bool rounds = Products != CudaProducts::float32;
  static_assert(!rounds, "sinter: ranks train on the GPU by the plan pair, whose products are float32: Ranks<Cuda>");
  static constexpr bool row_by_row = !gpu_kernels::Stages<Model>::of_batch;
  static_assert(row_by_row,
                "sinter: ranks divide batches on the GPU only of networks without BatchNorm, whose statistics need all "
                "rows of a batch: use Ranks<Host>, or another normalisation");
  static constexpr bool fits = !row_by_row || Choose::pair_rows(Choose::most_shared) >= 1;
  static_assert(fits,
                "sinter: ranks divide batches on the GPU only of networks of which one row fits in a block's memory: "
                "use Ranks<Host>, or one GPU");
  static constexpr bool divided = by_pair && !rounds && row_by_row && fits;  // else no further message
  using Type = std::conditional_t<divided, detail::RanksCudaEngine<Model, T, Wanted>, CudaEngine<Model, T>>;
};

template <class Model, class T, CudaPlan Wanted>
std::string describe_plan(const Ranks<CudaWith<Wanted>>& device, std::size_t batch) {
  return describe_plan<Model, T>(CudaWith<CudaPlan::pair>{device.device, device.stream}, batch);
}

SINTER_NAMESPACE_END
