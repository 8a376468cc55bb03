// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "sinter/core/pack.hpp"
#include "sinter/kernels/gpu/executor.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// The sum of numbers, or of the squares of their distances from one number, in a part for each block. A thread adds
/// every 256th number of the block's range, and these sums are added in their order.
template <class Number>
struct SumNumbers {
  static constexpr bool whole_grid = false;
  static constexpr int threads = 256;
  static constexpr std::size_t memory = threads * sizeof(double);

  struct Args {
    const Number* numbers;
    std::size_t count;
    bool squares;
    double from;
    double* sums;  // [blocks]
    int blocks;
  };

  template <class X>
  SINTER_FN static void run(X& x, const Args& a) {
    const auto block = static_cast<std::size_t>(x.block()), blocks = static_cast<std::size_t>(a.blocks);
    const std::size_t begin = a.count / blocks * block, end = block + 1 == blocks ? a.count : begin + a.count / blocks;
    const auto numbers = x.global(a.numbers + begin);
    const auto parts = x.template memory<double>(0);
    const auto count = static_cast<std::ptrdiff_t>(end - begin);
    x.items(threads, [&](int t) {
      double sum = 0;
      for (std::ptrdiff_t i = t; i < count; i += threads) {
        const double number = static_cast<double>(Number(numbers[i])) - a.from;
        sum += a.squares ? fn::product(number, number) : number;
      }
      parts[t] = sum;
    });
    x.barrier();
    x.items(1, [&](int) {
      double sum = 0;
      for (int t = 0; t < threads; ++t) sum += double(parts[t]);
      x.global(a.sums)[block] = sum;
    });
  }
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
