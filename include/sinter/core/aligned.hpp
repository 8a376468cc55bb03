// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// Numbers on a cache line of their own, zero at first. A value: copies copy. Large ones ask Linux for pages of 2 MB:
/// kernels walk down columns of weights, and each row would be a page of its own, whose address is looked up anew.
template <class T>
class AlignedArray {
 public:
  static constexpr std::size_t alignment = 64;

  AlignedArray() = default;
  SINTER_SHARED explicit AlignedArray(std::size_t size) : size_(size), data_(allocate(size)) {
    std::fill_n(data_.get(), size, T(0));
  }
  SINTER_SHARED AlignedArray(const AlignedArray& other) : size_(other.size_), data_(allocate(other.size_)) {
    std::copy_n(other.data(), size_, data());
  }
  AlignedArray(AlignedArray&& other) noexcept : size_(other.size_), data_(std::move(other.data_)) { other.size_ = 0; }
  AlignedArray& operator=(AlignedArray other) noexcept {
    std::swap(size_, other.size_);
    std::swap(data_, other.data_);
    return *this;
  }

  /// At least that many; all zeros again if there were fewer before.
  void grow(std::size_t size) {
    if (size_ < size) *this = AlignedArray(size);
  }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  operator std::span<T>() { return {data(), size_}; }
  operator std::span<const T>() const { return {data(), size_}; }

 private:
  static constexpr std::size_t huge_page = std::size_t{1} << 21;
  struct Free {
    std::align_val_t aligned{alignment};
    void operator()(T* p) const { ::operator delete(p, aligned); }
  };
  static std::unique_ptr<T[], Free> allocate(std::size_t size) {
    if (size == 0) return nullptr;
    const std::size_t bytes = size * sizeof(T);
    const std::align_val_t aligned{bytes < 2 * huge_page ? alignment : huge_page};
    void* const numbers = ::operator new(bytes, aligned);
#if defined(__linux__)
    if (bytes >= 2 * huge_page) madvise(numbers, bytes, MADV_HUGEPAGE);  // if it will not, nothing is lost
#endif
    return {static_cast<T*>(numbers), Free{aligned}};
  }

  std::size_t size_ = 0;
  std::unique_ptr<T[], Free> data_;
};

SINTER_NAMESPACE_END
