// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

namespace executor {

/// A team of one thread, of a GPU or of the CPU, with its own memory, as an executor of executor.hpp. Bodies compiled
/// for different instruction sets are different functions.
template <class Isa>
class Thread {
 public:
  template <class T>
  using Pointer = T*;

  SINTER_FN explicit Thread(std::byte* memory) : memory_(memory) {}

  template <class Item>
  SINTER_FN void items(int n, Item&& item) {
    for (int i = 0; i < n; ++i) item(i);
  }
  SINTER_FN void barrier() {}
  template <class T>
  SINTER_FN T* memory(std::size_t at, std::byte* = nullptr) {
    return reinterpret_cast<T*>(memory_ + at);
  }
  template <class T>
  SINTER_FN T* global(T* p) {
    return p;
  }
  template <class T>
  SINTER_FN void discard(T*, std::size_t) {}

 private:
  std::byte* memory_;
};

}  // namespace executor

SINTER_NAMESPACE_END
