// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sinter/device/cuda.cuh"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// Repeated launches as a CUDA graph: one call for all of them, and less time between them.
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
  /// Also ends a recording that failed.
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

/// Repeated launches: made directly the first time, when buffers get their size; recorded the second time; replayed
/// from then on. `key()` identifies them, including the addresses they use. `first(device)` makes those of the first
/// time, which may be fewer.
class Recordings {
 public:
  template <class Key, class Launches, class First>
  void make(const Cuda& device, Key&& key, Launches&& launches, First&& first) {
    const std::string wanted = key();
    const auto known = std::find_if(all_.begin(), all_.end(), [&](const Known& k) { return k.key == wanted; });
    if (known == all_.end()) {
      first(device);
      if (all_.size() == most) all_.erase(all_.begin());
      all_.push_back({key(), {}});
      return;
    }
    if (!known->recording) known->recording = Recording(device, launches);
    known->recording.launch(device);
  }

 private:
  static constexpr std::size_t most = 8;  // datasets and batches that alternate
  struct Known {
    std::string key;
    Recording recording;
  };
  std::vector<Known> all_;
};

/// The concatenated bytes of some values.
template <class... Values>
std::string bytes_of(const Values&... values) {
  std::string bytes;
  const auto add = [&bytes](const auto& value) {
    static_assert(std::has_unique_object_representations_v<std::remove_cvref_t<decltype(value)>>);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  (add(values), ...);
  return bytes;
}

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
