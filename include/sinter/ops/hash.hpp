// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "sinter/core/type_name.hpp"
#include "sinter/ops/index_map.hpp"
#include "sinter/ops/op.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// FNV-1a, byte by byte.
struct Hash {
  std::uint64_t value = 0xcbf29ce484222325u;
  constexpr void add(std::string_view text) {
    for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    add(static_cast<int>(text.size()));
  }
  constexpr void add(int number) {
    for (int shift = 0; shift < 32; shift += 8)
      value = (value ^ (static_cast<std::uint32_t>(number) >> shift & 255u)) * 0x100000001b3u;
  }
  constexpr void add(double number) {
    const auto bits = std::bit_cast<std::uint64_t>(number);
    add(static_cast<int>(static_cast<std::uint32_t>(bits)));
    add(static_cast<int>(static_cast<std::uint32_t>(bits >> 32)));
  }
  constexpr void add(Dims d) {
    for (const int size : {d.rank, d.channels, d.height, d.width}) add(size);
  }
  constexpr void add(const Window& w) {
    for (const int size : {w.height, w.width, w.stride_height, w.stride_width, w.padding_height, w.padding_width,
                           w.dilation_height, w.dilation_width, w.groups, static_cast<int>(w.causal)})
      add(size);
  }
};

/// The same of 64 bits at a time: few steps for a compiler, which counts them.
class GraphHash {
 public:
  constexpr std::uint64_t value() const { return value_; }
  constexpr void add(std::uint64_t word) {
    value_ = (value_ ^ word) * 0x9e3779b97f4a7c15u;
    value_ ^= value_ >> 32;
  }
  constexpr void add(double number) { add(std::bit_cast<std::uint64_t>(number)); }
  constexpr void add(int first, int second) {
    add(std::uint64_t{static_cast<std::uint32_t>(first)} << 32 | static_cast<std::uint32_t>(second));
  }
  constexpr void add(std::string_view text) {
    std::uint64_t word = text.size();
    for (const char c : text) word = word * 0x100000001b3u + static_cast<unsigned char>(c);
    add(word);
  }
  constexpr void add(Dims d) {
    add(d.rank, d.channels);
    add(d.height, d.width);
  }

  constexpr void add(const Op& op) {
    static_assert(sizeof(void*) != 8 || sizeof(Op) == 280, "sinter: what is new in an Op belongs in its hash, too");
    add(op.name);
    add(op.in);
    add(op.out);
    add(op.second);
    const int flags[] = {op.whole,
                         op.transposed,
                         op.with_bias,
                         op.average,
                         op.adaptive,
                         op.causal,
                         op.per_channel,
                         op.of_position,
                         op.first_transposed,
                         op.second_transposed,
                         op.uneven(),
                         op.window.causal,
                         op.backward_reads_output,
                         op.multiplies};
    int bits = 0;
    for (const int flag : flags) bits = 2 * bits + flag;
    add(static_cast<int>(op.kind), bits);
    const Window& w = op.window;
    const int numbers[] = {op.inputs[0],      op.inputs[1],
                           op.inputs[2],      op.inputs[3],
                           op.input_count,    op.output,
                           op.weight,         op.bias,
                           op.layer,          op.part,
                           w.height,          w.width,
                           w.stride_height,   w.stride_width,
                           w.padding_height,  w.padding_width,
                           w.dilation_height, w.dilation_width,
                           w.groups,          op.begin,
                           op.channels[0],    op.channels[1],
                           op.channels[2],    op.channels[3],
                           op.mean,           op.variance,
                           op.groups,         op.hidden,
                           op.gates,          op.kept,
                           op.directions,     op.projected,
                           op.level,          op.levels,
                           op.given,          op.lengths,
                           op.learned,        0};
    for (int i = 0; i < 38; i += 2) add(numbers[i], numbers[i + 1]);
    for (const double number : {op.probability, op.epsilon, op.momentum, op.factor, op.zeros}) add(number);
  }
  constexpr void add(const IndexMap& map) {
    add(map.count, map.rank);
    add(map.first, 0);
    for (int i = 0; i < map.count; ++i) {
      const IndexFactor& f = map.factor[i];
      add(static_cast<int>(f.rule), f.in);
      add(f.out, f.begin);
      add(f.in_axis, f.in_step);
      add(f.out_axis, f.out_step);
    }
  }
  /// What a functor shows of itself: its name and its options.
  template <class F>
  constexpr void add_functor() {
    add(defined_name<F>());
    if constexpr (requires { F::options; })  // nvcc knows its type only from here on
      for (std::size_t i = 0; i < sizeof(F::options) / sizeof(F::options[0]); ++i)
        add(static_cast<double>(F::options[i]));
  }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

}  // namespace detail

SINTER_NAMESPACE_END
