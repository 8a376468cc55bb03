// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "sinter/device/cuda_error.cuh"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Streams of networks without one of the user's: one for each device and each thread that makes such networks. They
/// wait for CUDA's default stream, and it for them. None is destroyed, because networks may outlive the thread that
/// made them: when it ends, the next thread takes its streams.
class CudaStreams {
 public:
  /// The one of this thread on the current device, whose number is given.
  static cudaStream_t of_this_thread(int device) {
    thread_local Mine mine;
    const auto known =
        std::find_if(mine.streams.begin(), mine.streams.end(), [&](const Of& s) { return s.device == device; });
    if (known != mine.streams.end()) return known->stream;
    mine.streams.push_back({device, take(device)});
    return mine.streams.back().stream;
  }

 private:
  struct Of {
    int device;
    cudaStream_t stream;
  };
  struct Free {
    std::mutex mutex;
    std::vector<Of> streams;
  };
  struct Mine {
    std::vector<Of> streams;
    Mine() = default;
    Mine(const Mine&) = delete;
    ~Mine() {
      const std::lock_guard lock(free().mutex);
      free().streams.insert(free().streams.end(), streams.begin(), streams.end());
    }
  };
  static Free& free() {
    static Free* const only = new Free;  // the last thread may end after static objects are destroyed
    return *only;
  }
  static cudaStream_t take(int device) {
    {
      const std::lock_guard lock(free().mutex);
      std::vector<Of>& streams = free().streams;
      const auto left = std::find_if(streams.begin(), streams.end(), [&](const Of& s) { return s.device == device; });
      if (left != streams.end()) {
        const cudaStream_t stream = left->stream;
        streams.erase(left);
        return stream;
      }
    }
    cudaStream_t stream = nullptr;
    cuda_check(cudaStreamCreateWithFlags(&stream, cudaStreamDefault), "making a stream");
    return stream;
  }
};

}  // namespace detail

SINTER_NAMESPACE_END
