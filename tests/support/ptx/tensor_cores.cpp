// SPDX-License-Identifier: MIT
#include "support/ptx/tensor_cores.hpp"

#include <array>
#include <bit>

#include "support/ptx/fault.hpp"
#include "support/ptx/warp.hpp"

namespace sinter_test::ptx {
namespace {

using Word = std::uint32_t;
using Words = std::vector<std::string>;

/// The nearest number without its last bits, of two equally near ones the even one.
template <int Dropped>
Word nearest(Word bits) {
  if ((bits & 0x7f800000u) == 0x7f800000u) return bits;
  return (bits + (Word{1} << (Dropped - 1)) - 1 + (bits >> Dropped & 1)) >> Dropped << Dropped;
}

void to_tf32(Warp& warp, const Instruction& i, Word lanes) {
  for (int lane = 0; lane < lanes_of_warp; ++lane)
    if ((lanes >> lane & 1) != 0) warp.row<Word>(i.to)[lane] = nearest<13>(warp.row<Word>(i.a)[lane]);
}
void to_two_bf16(Warp& warp, const Instruction& i, Word lanes) {
  for (int lane = 0; lane < lanes_of_warp; ++lane)
    if ((lanes >> lane & 1) != 0)
      warp.row<Word>(i.to)[lane] =
          nearest<16>(warp.row<Word>(i.a)[lane]) | nearest<16>(warp.row<Word>(i.b)[lane]) >> 16;
}

/// Of 16 rows of a by 8 columns of b: the numbers of a lane are of row lane / 4 and that + 8, or of column lane / 4; each
/// register has one number of 32 bits, or two neighbours in k of 16.
template <std::size_t Depth>
void multiply(Warp& warp, const Instruction& i, Word lanes) {
  if (lanes != all_lanes || warp.lanes() != all_lanes) throw Fault("not all lanes of the warp are at this product");
  constexpr int packed = Depth / 8;
  const auto number = [&](std::uint32_t row, int lane, int part) {
    const Word bits = warp.row<Word>(row)[lane];
    if constexpr (packed == 2)
      return static_cast<double>(std::bit_cast<float>(part == 0 ? bits << 16 : bits & ~0xffffu));
    return static_cast<double>(std::bit_cast<float>(bits & ~0x1fffu));
  };
  std::array<std::array<double, Depth>, 16> a;
  std::array<std::array<double, 8>, Depth> b;
  for (int lane = 0; lane < lanes_of_warp; ++lane)
    for (std::size_t k = 0; k < 4; ++k)
      for (int part = 0; part < packed; ++part) {
        const auto at = static_cast<std::size_t>(lane % 4 * packed + part) + k / 2 * (Depth / 2);
        a[static_cast<std::size_t>(lane / 4) + k % 2 * 8][at] = number(i.rows[4 + k], lane, part);
        if (k % 2 == 0) b[at][static_cast<std::size_t>(lane / 4)] = number(i.rows[8 + k / 2], lane, part);
      }
  std::array<std::array<float, 4>, lanes_of_warp> sums;
  for (int lane = 0; lane < lanes_of_warp; ++lane)
    for (std::size_t k = 0; k < 4; ++k) {
      const auto row = static_cast<std::size_t>(lane / 4) + k / 2 * 8,
                 column = static_cast<std::size_t>(lane % 4 * 2) + k % 2;
      double sum = static_cast<double>(warp.row<float>(i.rows[10 + k])[lane]);
      for (std::size_t n = 0; n < Depth; ++n) sum += a[row][n] * b[n][column];
      sums[static_cast<std::size_t>(lane)][k] = static_cast<float>(sum);
    }
  for (int lane = 0; lane < lanes_of_warp; ++lane)
    for (std::size_t k = 0; k < 4; ++k) warp.row<float>(i.rows[k])[lane] = sums[static_cast<std::size_t>(lane)][k];
}

}  // namespace

Compute tensor_product_of(const Words& words) {
  if (words == Words{"mma", "sync", "aligned", "m16n8k8", "row", "col", "f32", "tf32", "tf32", "f32"})
    return multiply<8>;
  if (words == Words{"mma", "sync", "aligned", "m16n8k16", "row", "col", "f32", "bf16", "bf16", "f32"})
    return multiply<16>;
  return nullptr;
}

Compute tensor_conversion_of(const Words& words) {
  if (words == Words{"cvt", "rn", "tf32", "f32"}) return to_tf32;
  if (words == Words{"cvt", "rn", "bf16x2", "f32"}) return to_two_bf16;
  return nullptr;
}

}  // namespace sinter_test::ptx
