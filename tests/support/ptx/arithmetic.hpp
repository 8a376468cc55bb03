// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "support/ptx/instruction.hpp"

namespace sinter_test::ptx {

/// What an instruction computes from registers to a register: `compute`, of operands with these types. `compute` is
/// null where the instruction is not known, or its result is not specified to the bit: approximations, subnormals as
/// zero.
struct Arithmetic {
  Compute compute = nullptr;
  Type to{};
  std::vector<Type> from{};
  Kind kind = Kind::integer;
};

/// Of an opcode and its modifiers: {"fma", "rn", "f32"}.
Arithmetic arithmetic_of(const std::vector<std::string>& words);
/// Of ".f32", without the point; kind none where it is no type.
Type type_of(const std::string& word);

}  // namespace sinter_test::ptx
