// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "sinter/device/cuda_array.cuh"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// Device memory that grows to the largest size requested. Growing discards its contents.
class Buffer {
 public:
  explicit Buffer(const Cuda& device) : device_(device) {}

  template <class T>
  T* reserve(std::size_t count) {
    if (count * sizeof(T) > bytes_.size()) {
      bytes_ = CudaArray<std::byte>(device_, count * sizeof(T));
      ++generation_;
    }
    return reinterpret_cast<T*>(bytes_.data());
  }
  /// Resizes, and copies.
  template <class T>
  T* upload(const T* from, std::size_t count) {
    T* to = reserve<T>(count);
    bytes_.upload(reinterpret_cast<const std::byte*>(from), count * sizeof(T));
    return to;
  }
  /// Appends a copy.
  template <class T>
  void upload_at(std::size_t byte, const T& from) {
    bytes_.upload(reinterpret_cast<const std::byte*>(&from), sizeof from, byte);
  }
  /// The first `count` numbers; waits for them.
  template <class T>
  void download(T* to, std::size_t count) const {
    bytes_.download(reinterpret_cast<std::byte*>(to), count * sizeof(T));
  }
  /// Changes whenever its address does.
  std::size_t generation() const { return generation_; }

 private:
  Cuda device_;
  CudaArray<std::byte> bytes_;
  std::size_t generation_ = 0;
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
