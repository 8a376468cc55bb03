// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstddef>

namespace sinter_serve {

/// What the bodies of all requests may take together. Small ones do not count: whoever sends large ones slowly does not
/// keep others out.
class BodyMemory {
 public:
  static constexpr std::size_t small = 64 << 10;
  explicit BodyMemory(std::size_t most) : most_(most) {}

  /// The part of one request, for as long as this lives.
  class Part {
   public:
    explicit Part(BodyMemory& whole) : whole_(whole) {}
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;
    ~Part() { whole_.taken_ -= taken_; }
    /// False if there is not so much left.
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
