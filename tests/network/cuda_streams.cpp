// SPDX-License-Identifier: MIT
// labels: cuda gpu
// The stream of a network that was given none.
#include <doctest/doctest.h>

#include <thread>
#include <utility>
#include <vector>

#include "sinter/sinter.cuh"
#include "support/cuda_training.hpp"
#include "support/error_of.hpp"
#include "support/fake_cuda/fake_cuda.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;
using namespace sinter_test::plans;

namespace {

cudaStream_t stream_of_thread(int device = 0) {
  cudaStream_t stream = nullptr;
  std::thread([&] { stream = Network<Tiny, Cuda>{Cuda{.device = device}}.device().stream; }).join();
  return stream;
}

}  // namespace

TEST_CASE("networks of a thread have one stream, which is not the default one, and those of another thread another") {
  const FreshCuda cuda_runtime;
  const Network<Tiny, Cuda> net;
  const cudaStream_t mine = net.device().stream;
  CHECK(mine != nullptr);
  CHECK(mine != cudaStreamLegacy);
  CHECK(Network<Middle, Cuda>{}.device().stream == mine);
  CHECK(Network<Tiny, CudaWith<CudaPlan::layers>>{}.device().stream == mine);
  const Network<Tiny, Cuda> copy = net;
  CHECK(copy.device().stream == mine);
  const Ensemble<Tiny, Cuda> nets(2);
  CHECK(nets.device().stream == mine);
  CHECK(nets[1].device().stream == mine);

  const cudaStream_t other = stream_of_thread();
  CHECK(other != nullptr);
  CHECK(other != mine);
  const long made = fake_cuda::calls("cudaStreamCreateWithFlags");
  for (int thread = 0; thread < 20; ++thread) CHECK(stream_of_thread() == other);  // that of a thread that has ended
  CHECK(fake_cuda::calls("cudaStreamCreateWithFlags") == made);
}

TEST_CASE("each device has streams of its own, and a stream that was given is taken") {
  const FreshCuda cuda_runtime;
  fake_cuda::set_devices({{}, {}});
  const Network<Tiny, Cuda> first, second{Cuda{.device = 1}};
  CHECK(first.device().stream != second.device().stream);
  CHECK(Network<Tiny, Cuda>{Cuda{.device = 1}}.device().stream == second.device().stream);
  CHECK(stream_of_thread(1) != stream_of_thread(0));
  cudaStream_t given = nullptr;
  REQUIRE(cudaStreamCreate(&given) == cudaSuccess);
  CHECK(Network<Tiny, Cuda>{Cuda{.stream = given}}.device().stream == given);
  CHECK(cudaStreamDestroy(given) == cudaSuccess);
}

TEST_CASE("steps continue while another stream is captured, and are in order with the default one") {
  const FreshCuda cuda_runtime;
  const auto x = inputs<Middle::InputRow>(20);
  const auto labels = labels_for(20, 4);
  CudaArray<float> x_on_device(Cuda{}, x.values().size());
  CudaArray<int> labels_on_device(Cuda{}, labels.size());
  x_on_device.upload(x.values().data(), x.values().size());
  labels_on_device.upload(labels.data(), labels.size());
  const auto rows = device_rows<Middle::InputRow>(x_on_device);
  Network<Middle, Cuda> net{{.seed = 9}}, plain{{.seed = 9}};
  Trainer trainer{net, NLLLoss{}, SGD{.lr = 0.05}};
  Trainer other{plain, NLLLoss{}, SGD{.lr = 0.05}};
  trainer.step(rows, labels_on_device);

  cudaStream_t elsewhere = nullptr;
  cudaGraph_t graph = nullptr;
  REQUIRE(cudaStreamCreate(&elsewhere) == cudaSuccess);
  REQUIRE(cudaStreamBeginCapture(elsewhere, cudaStreamCaptureModeRelaxed) == cudaSuccess);
  CHECK(error_of([&] { trainer.step(rows, labels_on_device); }) == "(no error)");
  CHECK(cudaStreamEndCapture(elsewhere, &graph) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  CHECK(cudaStreamDestroy(elsewhere) == cudaSuccess);
  for (int i = 0; i < 2; ++i) other.step(rows, labels_on_device);
  CHECK(same(values(net), values(plain)));

  // A capture that the default stream breaks is of a stream that waits for it.
  REQUIRE(cudaStreamBeginCapture(net.device().stream, cudaStreamCaptureModeRelaxed) == cudaSuccess);
  CHECK(cudaMemsetAsync(x_on_device.data(), 0, 4, nullptr) == cudaErrorStreamCaptureImplicit);
  CHECK(cudaStreamEndCapture(net.device().stream, &graph) == cudaErrorStreamCaptureInvalidated);
}
