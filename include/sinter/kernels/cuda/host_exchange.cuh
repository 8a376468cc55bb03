// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "sinter/device/cuda_host_array.cuh"
#include "sinter/kernels/gpu/infer.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// Exchanges a few rows and outputs with the host without copies: the kernel reads and writes page-locked host memory,
/// then writes the number of the request, which the host polls. Two copies and a wait would take most of the time.
template <class T>
class HostExchange {
 public:
  /// Above this number of bytes of rows, or of outputs, copies are faster.
  static constexpr std::size_t most_bytes = 64 * 1024;

  HostExchange(const Cuda& device, std::size_t most_rows, std::size_t inputs, std::size_t outputs)
      : device_(device),
        inputs_(inputs),
        most_rows_(std::min({most_rows, most_bytes / inputs, most_bytes / (outputs * sizeof(T))})),
        rows_(device, std::min(most_rows_ * inputs * sizeof(double), most_bytes)),
        outputs_(device, most_rows_ * outputs),
        flags_(device, most_rows_) {}

  template <class Element>
  bool hold(std::size_t rows) const {
    return rows <= most_rows_ && rows * inputs_ * sizeof(Element) <= rows_.size();
  }
  template <class Element>
  Element* rows() {
    return reinterpret_cast<Element*>(rows_.data());
  }
  T* outputs() { return outputs_.data(); }

  /// A new request, for the arguments of a kernel.
  Completion request() { return {flags_.data(), ++request_}; }
  /// Waits until each of `blocks` blocks has written its outputs. Fails if the kernel failed.
  void wait(std::size_t blocks) {
    constexpr int looks = 4096;  // polls before the stream is queried
    for (std::size_t block = 0; block < blocks; ++block) {
      const std::atomic_ref<std::uint64_t> flag(flags_.data()[block]);
      while (flag.load(std::memory_order_acquire) != request_) {
        int look = 0;
        while (++look < looks && flag.load(std::memory_order_acquire) != request_) {
        }
        if (look < looks) break;
        const cudaError_t code = cudaStreamQuery(device_.stream);
        if (code == cudaErrorNotReady) {
          detail::forget_cuda_error();
          continue;
        }
        cuda_check(code, "waiting for outputs");
        if (flag.load(std::memory_order_acquire) != request_)
          fail("a kernel ended without writing its outputs; this is a mistake in sinter, please report it");
      }
    }
  }

 private:
  Cuda device_;
  std::size_t inputs_, most_rows_;
  CudaHostArray<std::byte> rows_;
  CudaHostArray<T> outputs_;
  CudaHostArray<std::uint64_t> flags_;
  std::uint64_t request_ = 0;
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
