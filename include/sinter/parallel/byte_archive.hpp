// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/core/tensor.hpp"
#include "sinter/report/history.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Values as bytes, in their order, for a process of the same program. `archive(x)` works in both directions: it stores
/// x, or gives x the value that was stored.
class ByteArchive {
 public:
  /// To store values.
  ByteArchive() = default;
  /// To read them.
  explicit ByteArchive(std::vector<std::byte> bytes) : bytes_(std::move(bytes)), taking_(true) {}

  bool taking() const { return taking_; }
  std::vector<std::byte> bytes() && { return std::move(bytes_); }

  template <class T>
    requires std::is_trivially_copyable_v<T>
  void operator()(T& x) {
    move(&x, 1);
  }
  template <class T>
  void operator()(std::vector<T>& all) {
    resize(all);
    if constexpr (std::is_trivially_copyable_v<T>)
      move(all.data(), all.size());
    else
      for (T& x : all) (*this)(x);
  }
  void operator()(std::string& text) {
    resize(text);
    move(text.data(), text.size());
  }
  template <class T, class S>
  void operator()(Tensor<T, S>& tensor) {
    std::size_t rows = tensor.rows();
    (*this)(rows);
    if (taking_) tensor = Tensor<T, S>(rows);
    move(tensor.data(), tensor.values().size());
  }
  void operator()(EpochRecord& record) {
    (*this)(record.epoch);
    for (const auto& column : history_columns) (*this)(record.*column.value);
    (*this)(record.heads);
  }
  void operator()(History& history) {
    (*this)(history.epochs);
    (*this)(history.intervals);
    (*this)(history.samples_per_epoch);
    (*this)(history.stopped);
  }

 private:
  template <class All>
  void resize(All& all) {
    std::size_t size = all.size();
    (*this)(size);
    if (taking_ && size > bytes_.size() - next_) fail("bytes of another rank are fewer than they say");
    all.resize(size);
  }
  template <class T>
  void move(T* values, std::size_t count) {
    const std::size_t size = count * sizeof(T);
    if (!taking_) {
      const auto bytes = std::as_bytes(std::span(values, count));
      bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
      return;
    }
    if (size > bytes_.size() - next_) fail("bytes of another rank are fewer than they say");
    if (size > 0) std::memcpy(values, bytes_.data() + next_, size);
    next_ += size;
  }

  std::vector<std::byte> bytes_;
  std::size_t next_ = 0;
  bool taking_ = false;
};

}  // namespace detail

SINTER_NAMESPACE_END
