// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <utility>

#include "sinter/kernels/carried_numbers.hpp"
#include "sinter/kernels/cuda/buffer.cuh"
#include "sinter/kernels/gpu/carried.hpp"
#include "sinter/model/program.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// As CarriedStates, in device memory.
template <class Model, class T>
class StatesOnDevice {
  static constexpr std::size_t of_row = CarriedNumbers<Program<Model>>::size;

 public:
  explicit StatesOnDevice(const Cuda& device) : before_(device), after_(device) {}

  void carry(bool on) {
    carries_ = on;
    reset();
  }
  void reset() { there_ = false; }
  bool carries() const { return carries_; }

  /// For a batch that goes forward next.
  Carried<T> begin_batch(std::size_t rows) {
    if (!carries_) return {};
    std::swap(before_, after_);
    Carried<T> carried = first_of_sequence(rows);
    carried.follows = std::exchange(there_, true);
    return carried;
  }
  /// For steps of which the device knows the place in their sequences: at the same addresses, unless begin_batch comes
  /// between.
  Carried<T> first_of_sequence(std::size_t rows) {
    if (!carries_) return {};
    return {before_.template reserve<T>(rows * of_row), after_.template reserve<T>(rows * of_row)};
  }

 private:
  Buffer before_, after_;
  bool carries_ = false, there_ = false;
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
