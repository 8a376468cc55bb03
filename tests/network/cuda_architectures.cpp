// SPDX-License-Identifier: MIT
// labels: cuda large gpu sanitized
#include <doctest/doctest.h>

#include <string>
#include <type_traits>
#include <vector>

#include "sinter/sinter.cuh"
#include "support/cuda_training.hpp"
#include "support/error_of.hpp"
#include "support/gradient_check.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

/// A sample takes 110 KB in training: a block of an H200 has room for two, smaller ones for none.
struct Large : Sequential<Input<1, 64, 64>, Conv2d<8, 3>, ReLU, MaxPool2d<2>, Flatten, Linear<4>, LogSoftmax> {};

using Data = gpu_kernels::Rows<float, std::int32_t, float>;
using TrainKernel = gpu_kernels::TrainTiles<Large, float, Data, NLLLoss, false>;
static_assert(gpu_kernels::runs_on<TrainKernel, 90> && gpu_kernels::runs_on<TrainKernel, 100> &&
              gpu_kernels::runs_on<TrainKernel, 80>);
static_assert(!gpu_kernels::runs_on<TrainKernel, 75> && !gpu_kernels::runs_on<TrainKernel, 86> &&
              !gpu_kernels::runs_on<TrainKernel, 120>);
static_assert(gpu_kernels::runs_on<gpu_kernels::Combine<float>, 75>);

/// What the driver makes of PTX for 7.5 on a device of 9.0.
void load_old_code() { fake_cuda::set_kernel_versions(75, 90); }

template <class Device>
std::vector<float> trained() {
  const auto x = inputs<Large::InputRow>(12);
  const auto labels = labels_for(12, 4);
  const auto data = dataset(x, labels);
  Network<Large, Device> net{{.seed = 5}};
  fit(net, data, NLLLoss{}, SGD{.lr = 0.05},
      FitOptions<std::remove_const_t<decltype(data)>>{.batch_size = 4, .epochs = 2});
  return values(net);
}

}  // namespace

TEST_CASE("the plan is that of what the kernels were compiled for, also on a newer device") {
  const FreshCuda fake;
  const Network<Large, Cuda> net;
  CHECK(has(describe(net, 4), "plan pair on cuda, device 0 \"Fake H200\", code for compute capability 9.0"));
  const auto by_pair = trained<Cuda>();
  CHECK(same(by_pair, trained<CudaWith<CudaPlan::pair>>()));

  load_old_code();
  CHECK(has(describe(net, 4), "plan layers on cuda, device 0 \"Fake H200\", code for compute capability 7.5"));
  const auto by_layers = trained<Cuda>();
  CHECK(same(by_layers, trained<CudaWith<CudaPlan::layers>>()));
  CHECK(norm_error(by_layers, by_pair) < 1e-6);
}

TEST_CASE("describe says what large products are computed of") {
  const FreshCuda fake;
  const Network<Large, CudaWith<CudaPlan::layers, CudaProducts::tf32>> net;
  CHECK(has(describe(net, 4), "large products of tf32, on tensor cores\n"));
  const Network<Large, CudaWith<CudaPlan::pair, CudaProducts::bf16>> pair;
  CHECK(has(describe(pair, 4), "products of float32, not bf16: only the plan layers in float has them\n"));
  const Network<Large, CudaWith<CudaPlan::layers, CudaProducts::tf32x3>, Float64> doubles;
  CHECK(has(describe(doubles, 4), "products of float32, not tf32x3"));
  CHECK_FALSE(has(describe(Network<Large, Cuda>{}, 4), "products of"));
  load_old_code();
  CHECK(has(describe(net, 4), "large products of tf32: float32, for lack of tensor cores\n"));
}

TEST_CASE("a plan that the code has no body for is refused with a message") {
  const FreshCuda fake;
  load_old_code();
  CHECK(has(describe(Network<Large, CudaWith<CudaPlan::pair>>{}, 4), "batch 4: does not fit"));
  const std::string error = error_of([] { trained<CudaWith<CudaPlan::pair>>(); });
  CHECK(has(error, "the plan pair of this network needs more than the 65536 bytes that a block has"));
  CHECK(has(error, "in code for compute capability 7.5"));
  CHECK(has(error, "CudaWith<CudaPlan::layers>"));
}

TEST_CASE("a stub that is launched all the same traps") {
  const FreshCuda fake;
  load_old_code();
  const std::string error = error_of([] { gpu_kernels::launch<TrainKernel>(Cuda{}, {}, 1); });
  CHECK(has(error, "cudaErrorLaunchFailure"));
}
