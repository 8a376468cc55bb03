// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>

#include <utility>

#include "sinter/device/cuda.cuh"

SINTER_NAMESPACE_BEGIN

namespace gpu {

/// Launches that are made again and again, as a CUDA graph: one call for all of them, and less time between them.
/// `launches(device)` is called once and should launch on the stream of the device it is given, which only records.
class Recording {
 public:
  Recording() = default;
  template <class Launches>
  Recording(const Cuda& device, Launches&& launches) {
    const Stream stream;
    cuda_check(cudaStreamBeginCapture(stream.handle, cudaStreamCaptureModeThreadLocal), "recording launches");
    Graph graph{nullptr, stream.handle};
    launches(Cuda{device.device, stream.handle});
    graph.end();
    cuda_check(cudaGraphInstantiate(&executable_, graph.handle, 0), "making a CUDA graph");
  }
  Recording(Recording&& other) noexcept : executable_(std::exchange(other.executable_, nullptr)) {}
  Recording& operator=(Recording other) noexcept {
    std::swap(executable_, other.executable_);
    return *this;
  }
  ~Recording() {
    if (executable_ != nullptr && cudaGraphExecDestroy(executable_) != cudaSuccess) detail::forget_cuda_error();
  }

  explicit operator bool() const { return executable_ != nullptr; }
  void launch(const Cuda& device) const {
    cuda_check(cudaGraphLaunch(executable_, device.stream), "launching a CUDA graph");
  }

 private:
  struct Stream {
    cudaStream_t handle = nullptr;
    Stream() { cuda_check(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking), "making a stream"); }
    ~Stream() {
      if (cudaStreamDestroy(handle) != cudaSuccess) detail::forget_cuda_error();
    }
  };
  /// Also ends a recording that broke off.
  struct Graph {
    cudaGraph_t handle;
    cudaStream_t stream;
    void end() { cuda_check(cudaStreamEndCapture(std::exchange(stream, nullptr), &handle), "recording launches"); }
    ~Graph() {
      if (stream != nullptr && cudaStreamEndCapture(stream, &handle) != cudaSuccess) detail::forget_cuda_error();
      if (handle != nullptr && cudaGraphDestroy(handle) != cudaSuccess) detail::forget_cuda_error();
    }
  };

  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace gpu

SINTER_NAMESPACE_END
