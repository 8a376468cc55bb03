// SPDX-License-Identifier: MIT
#include "support/ptx/contract.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "support/ptx/warp.hpp"

namespace sinter_test::ptx {
namespace {

/// A product in a sum, with one rounding: a b + c, a b - c or c - a b.
template <class T, bool Minus, bool First>
void contracted_sum(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  T* to = warp.row<T>(i.to);
  const T *a = warp.row<T>(i.a), *b = warp.row<T>(i.b), *c = warp.row<T>(i.c);
  for (int lane = 0; lane < lanes_of_warp; ++lane)
    if ((lanes >> lane & 1) != 0)
      to[lane] = std::fma(Minus && !First ? -a[lane] : a[lane], b[lane], Minus && First ? -c[lane] : c[lane]);
}
Compute contracted(bool single, bool minus, bool first) {
  if (single) {
    if (!minus) return &contracted_sum<float, false, true>;
    return first ? &contracted_sum<float, true, true> : &contracted_sum<float, true, false>;
  }
  if (!minus) return &contracted_sum<double, false, true>;
  return first ? &contracted_sum<double, true, true> : &contracted_sum<double, true, false>;
}

}  // namespace

void contract(Kernel& kernel, const std::map<std::string, int>& labels) {
  const auto words_of = [&](std::size_t index) {
    const std::string& text = kernel.text[index];
    const std::size_t begin = text[0] == '@' ? text.find(' ') + 1 : 0;
    return text.substr(begin, text.find(' ', begin) - begin);
  };
  std::vector<bool> entered(kernel.code.size(), false);
  for (const auto& [label, at] : labels) entered[static_cast<std::size_t>(at)] = true;
  for (std::size_t at = 0; at < kernel.code.size(); ++at) {
    Instruction& sum = kernel.code[at];
    if (sum.action != Action::compute) continue;
    const std::string op = words_of(at);
    const bool single = op == "add.f32" || op == "sub.f32";
    if (!single && op != "add.f64" && op != "sub.f64") continue;
    const bool minus = op[0] == 's';
    for (std::size_t before = at; before > 0 && !entered[before];) {
      const Instruction& product = kernel.code[--before];
      if (product.action == Action::branch || product.action == Action::end) break;
      const bool of_a = product.to == sum.a, of_b = product.to == sum.b;
      if (of_a == of_b || product.action != Action::compute || product.guard >= 0 ||
          words_of(before) != (single ? "mul.f32" : "mul.f64"))
        continue;
      // Neither it nor its factors change in between.
      bool changed = false;
      for (std::size_t k = before + 1; k < at && !changed; ++k) {
        const Instruction& other = kernel.code[k];
        const auto writes = [&](std::uint32_t row) {
          if (other.kind == Kind::tensor)
            return std::find(other.rows.begin(), other.rows.begin() + 4, row) != other.rows.begin() + 4;
          if (other.action == Action::load)
            return std::find(other.rows.begin(), other.rows.begin() + other.vector, row) !=
                   other.rows.begin() + other.vector;
          return other.action == Action::compute && other.to == row;
        };
        changed = writes(product.to) || writes(product.a) || writes(product.b);
      }
      if (changed) break;
      sum.compute = contracted(single, minus, of_a);
      sum.kind = Kind::fma;
      sum.c = of_a ? sum.b : sum.a;
      sum.a = product.a;
      sum.b = product.b;
      break;
    }
  }
}

}  // namespace sinter_test::ptx
