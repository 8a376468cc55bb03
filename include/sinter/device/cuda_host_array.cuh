// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include "sinter/device/cuda.cuh"

SINTER_NAMESPACE_BEGIN

/// An array in page-locked host memory: kernels read and write it in place, over the bus. Zeros at first.
template <class T>
class CudaHostArray {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T>);

 public:
  CudaHostArray() = default;
  CudaHostArray(const Cuda& cuda, std::size_t size) : device_(cuda.device) {
    if (size == 0) return;
    const CurrentCudaDevice current(cuda.device);
    void* memory = nullptr;
    cuda_check(cudaHostAlloc(&memory, size * sizeof(T), cudaHostAllocPortable | cudaHostAllocMapped),
               ("locking " + std::to_string(size * sizeof(T)) + " bytes of the host's memory").c_str());
    data_ = static_cast<T*>(memory);
    size_ = size;
    for (std::size_t i = 0; i < size; ++i) data_[i] = T{};
  }
  CudaHostArray(CudaHostArray&& other) noexcept
      : device_(other.device_), data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  CudaHostArray& operator=(CudaHostArray other) noexcept {
    std::swap(device_, other.device_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~CudaHostArray() {
    if (data_ == nullptr) return;
    const CurrentCudaDevice current(device_, std::nothrow);
    if (cudaFreeHost(data_) != cudaSuccess) detail::forget_cuda_error();
  }

  std::size_t size() const { return size_; }
  /// The same address on the host and on its devices.
  T* data() { return data_; }
  const T* data() const { return data_; }

 private:
  int device_ = 0;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

SINTER_NAMESPACE_END
