// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string_view>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// The initial values of a tensor: drawn by the network's initialisation, the same but by Xavier's where that is
/// PyTorch's, drawn from N(0, 1), or constant.
enum class Start : unsigned char { drawn, xavier, normal, zeros, ones, quarter };
constexpr double first_number(Start start) { return start == Start::ones ? 1 : start == Start::quarter ? 0.25 : 0; }

/// A tensor that a network keeps: its name and shape (PyTorch's), its initial values, and its position in the network's
/// array, in elements. Parameters are trained and come first; buffers are not and follow them.
struct Parameter {
  std::string_view name;  // "0.weight"; a part of it while an op declares it: "weight"
  std::array<int, 4> shape{};
  int rank = 0;
  int fan_in = 0, fan_out = 0;
  int fan_in_of_pytorch = 0;  // what its own initialisation takes for fan_in, where that is another number
  bool is_bias = false;       // draws other numbers
  int draw = 0;               // among the tensors of an op that are drawn alike
  Start start = Start::drawn;

  int op = 0, layer = 0;
  int stream = 0;  // what its first numbers are keyed by
  int offset = 0, size = 0;
  int name_begin = 0, name_size = 0;  // among the names of all
};

/// Offsets of parameters are multiples of this many elements, so that every tensor starts on a cache line and the
/// optimizer is one loop over whole packs.
inline constexpr int parameter_alignment = 16;

SINTER_NAMESPACE_END
