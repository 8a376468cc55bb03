// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <utility>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// Numbers on a cache line of their own, zero at first. A value: copies copy.
template <class T>
class AlignedArray {
 public:
  static constexpr std::size_t alignment = 64;

  AlignedArray() = default;
  explicit AlignedArray(std::size_t size) : size_(size), data_(allocate(size)) { std::fill_n(data_.get(), size, T(0)); }
  AlignedArray(const AlignedArray& other) : size_(other.size_), data_(allocate(other.size_)) {
    std::copy_n(other.data(), size_, data());
  }
  AlignedArray(AlignedArray&& other) noexcept : size_(other.size_), data_(std::move(other.data_)) { other.size_ = 0; }
  AlignedArray& operator=(AlignedArray other) noexcept {
    std::swap(size_, other.size_);
    std::swap(data_, other.data_);
    return *this;
  }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  operator std::span<T>() { return {data(), size_}; }
  operator std::span<const T>() const { return {data(), size_}; }

 private:
  struct Free {
    void operator()(T* p) const { ::operator delete(p, std::align_val_t{alignment}); }
  };
  static std::unique_ptr<T[], Free> allocate(std::size_t size) {
    if (size == 0) return nullptr;
    return std::unique_ptr<T[], Free>(static_cast<T*>(::operator new(size * sizeof(T), std::align_val_t{alignment})));
  }

  std::size_t size_ = 0;
  std::unique_ptr<T[], Free> data_;
};

SINTER_NAMESPACE_END
