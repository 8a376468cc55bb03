// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstddef>

namespace sinter_serve {

/// Limits the memory of the bodies of all requests and answers. Small ones do not count, so slow large ones do not block
/// others.
class BodyMemory {
 public:
  static constexpr std::size_t small = 64 << 10;
  explicit BodyMemory(std::size_t most) : most_(most) {}
  std::size_t most() const { return most_; }

  /// The part of one body, for as long as this lives.
  class Part {
   public:
    explicit Part(BodyMemory& whole) : whole_(whole) {}
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;
    ~Part() { whole_.taken_ -= taken_; }
    /// False if there is not enough left.
    bool grow_to(std::size_t size) {
      if (size <= small || size <= taken_) return true;
      const std::size_t more = size - taken_;
      taken_ = size;
      return (whole_.taken_ += more) <= whole_.most_;
    }

   private:
    BodyMemory& whole_;
    std::size_t taken_ = 0;
  };

 private:
  const std::size_t most_;
  std::atomic<std::size_t> taken_{0};
};

}  // namespace sinter_serve
