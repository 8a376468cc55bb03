// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <limits>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include "sinter/core/error.hpp"
#include "sinter/device/cuda.cuh"

SINTER_NAMESPACE_BEGIN

/// The address of a tensor on a GPU.
struct CudaMemory {};

/// Owns an array in GPU memory, initially zeros. Its operations are ordered with the stream of its Cuda. A copy is on
/// the same device and has the same stream.
template <class T>
class CudaArray {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T>, "a CudaArray moves its numbers as bytes");

 public:
  using Value = T;
  using Space = CudaMemory;

  CudaArray() = default;
  CudaArray(const Cuda& cuda, std::size_t size) : CudaArray(NotYetSet{}, cuda, size) {
    if (size_ == 0) return;
    const CurrentCudaDevice current(cuda_.device);
    cuda_check(cudaMemsetAsync(data_, 0, bytes(size_), cuda_.stream), "setting memory of a CUDA device to zero");
  }
  CudaArray(const CudaArray& other) : CudaArray(NotYetSet{}, other.cuda_, other.size_) {
    copy(data_, other.data_, size_, cudaMemcpyDeviceToDevice, "copying memory of a CUDA device");
  }
  CudaArray(CudaArray&& other) noexcept
      : cuda_(other.cuda_), data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  CudaArray& operator=(CudaArray other) noexcept {
    std::swap(cuda_, other.cuda_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~CudaArray() {
    if (data_ == nullptr) return;
    const CurrentCudaDevice current(cuda_.device, std::nothrow);
    if (cudaFree(data_) != cudaSuccess) detail::forget_cuda_error();
  }

  const Cuda& device() const { return cuda_; }
  std::size_t size() const { return size_; }
  /// Addresses of the device: for kernels and for Thrust, not to be read by the host.
  T* data() { return data_; }
  const T* data() const { return data_; }

  /// Copies from[0 .. count) to [at .. at + count). Ordinary memory may change as soon as this returns; memory that is
  /// page-locked memory (cudaMallocHost) must not change until the stream has reached the copy.
  void upload(const T* from, std::size_t count, std::size_t at = 0) {
    check_range("uploaded", count, at);
    copy(data_ + at, from, count, cudaMemcpyHostToDevice, "copying to a CUDA device");
  }
  /// Copies [at .. at + count) to `to`, and waits until it is complete.
  void download(T* to, std::size_t count, std::size_t at = 0) const {
    check_range("downloaded", count, at);
    if (count == 0) return;
    const CurrentCudaDevice current(cuda_.device);
    copy(to, data_ + at, count, cudaMemcpyDeviceToHost, "copying from a CUDA device");
    cuda_check(cudaStreamSynchronize(cuda_.stream), "waiting for a copy from a CUDA device");
  }

 private:
  struct NotYetSet {};

  // Constructors delegate to this one, so that what follows may fail: the destructor then runs.
  CudaArray(NotYetSet, const Cuda& cuda, std::size_t size) : cuda_(cuda) {
    if (size > std::numeric_limits<std::size_t>::max() / sizeof(T))
      fail("a CudaArray of " + std::to_string(size) + " values of " + std::to_string(sizeof(T)) +
           " bytes was asked for, which no memory can hold; check where this size comes from");
    if (size == 0) return;
    const CurrentCudaDevice current(cuda.device);
    void* memory = nullptr;
    const cudaError_t code = cudaMalloc(&memory, bytes(size));
    if (code != cudaSuccess) fail_to_allocate(code, size, cuda.device);
    data_ = static_cast<T*>(memory);
    size_ = size;
  }

  static constexpr std::size_t bytes(std::size_t count) { return count * sizeof(T); }

  [[noreturn]] SINTER_COLD static void fail_to_allocate(cudaError_t code, std::size_t size, int device) {
    const std::string doing =
        "allocating " + std::to_string(bytes(size)) + " bytes on CUDA device " + std::to_string(device);
    detail::fail_cuda(code, doing.c_str());
  }
  void check_range(const char* verb, std::size_t count, std::size_t at) const {
    if (at > size_ || count > size_ - at) [[unlikely]]
      fail_range(verb, count, at);
  }
  [[noreturn]] SINTER_COLD void fail_range(const char* verb, std::size_t count, std::size_t at) const {
    fail(std::to_string(count) + " values from place " + std::to_string(at) + " of a CudaArray of " +
         std::to_string(size_) + " were to be " + verb + "; stay within its size");
  }

  void copy(T* to, const T* from, std::size_t count, cudaMemcpyKind kind, const char* doing) const {
    if (count == 0) return;
    const CurrentCudaDevice current(cuda_.device);
    cuda_check(cudaMemcpyAsync(to, from, bytes(count), kind, cuda_.stream), doing);
  }

  Cuda cuda_;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::CudaArray;
using internal::CudaMemory;
}  // namespace sinter
