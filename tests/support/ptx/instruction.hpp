// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// PTX, decoded once: what nvcc makes of a kernel, in the form that a warp executes.
namespace sinter_test::ptx {

constexpr int lanes_of_warp = 32;
constexpr std::uint32_t all_lanes = 0xffffffffu;

struct Type {
  enum Kind : unsigned char { none, predicate, bits, integer, natural, real } kind = none;  // .pred, .b, .s, .u, .f
  int width = 0;                                                                            // in bits

  int bytes() const { return width / 8; }
  friend bool operator==(const Type&, const Type&) = default;
};

enum class Space : unsigned char { generic, global, shared, local, parameter };

/// What is counted apart.
enum class Kind : unsigned char {
  fma,
  real,     // other arithmetic of floating point
  integer,  // and addresses, and logic
  compare,  // and selections
  move,     // and conversions
  tensor,   // products of a warp
  shared_load,
  shared_store,
  global_load,
  global_store,
  local,    // loads and stores of a thread's own memory
  generic,  // those whose state space is not known
  parameter,
  branch,
  barrier,
  count
};
constexpr const char* names_of_kinds[] = {"fma",    "real",      "integer",   "compare", "move",
                                          "tensor", "shared ld", "shared st", "glob ld", "glob st",
                                          "local",  "generic",   "parameter", "branch",  "barrier"};

enum class Action : unsigned char {
  compute,
  load,
  store,
  add,  // to memory, by an atomic operation
  branch,
  barrier,
  any_barrier,
  warp_barrier,
  fence,
  end,
  trap
};

class Warp;
struct Instruction;
using Compute = void (*)(Warp&, const Instruction&, std::uint32_t lanes);

/// Registers are named by where their row of 32 lanes begins, predicates by their number. An immediate is a register.
struct Instruction {
  Compute compute = nullptr;
  Action action = Action::compute;
  Kind kind = Kind::move;
  bool guard_inverted = false;
  int guard = -1;  // the predicate without which a lane does nothing; -1: none
  std::uint32_t to = 0, a = 0, b = 0, c = 0;
  int target = 0;  // of a branch
  int line = 0;    // of the text

  // Loads and stores: `vector` numbers of `bytes` each, in registers of `row_bytes`.
  Space space = Space::generic;
  bool signed_numbers = false, has_base = false, wide_base = false;
  bool unordered = false;  // volatile, or atomic: threads may do this at the same time
  std::uint8_t bytes = 0, vector = 1;
  std::array<std::uint8_t, 4> row_bytes{};
  std::array<std::uint32_t, 14> rows{};
  std::int64_t offset = 0;  // `a` holds the base
};

/// A register whose value is known before the kernel runs.
struct Constant {
  std::uint32_t row;
  int bytes;
  std::uint64_t value;
};
struct SpecialRegister {
  enum Which { thread, block, threads, blocks, lane, lanes_up_to, first_of_y, one_of_y } which;
  std::uint32_t row;
};
struct Parameter {
  std::string name;
  std::size_t offset, size;
};

struct Kernel {
  std::string name;
  std::vector<Parameter> parameters;
  std::size_t parameter_bytes = 0, static_shared = 0, local_bytes = 0;
  std::uint32_t row_bytes = 0;  // of all registers of a warp
  int predicates = 0;
  std::vector<Constant> constants;
  std::vector<SpecialRegister> special;
  std::vector<Instruction> code;
  std::vector<std::string> text;  // of each instruction
};

// Addresses: generic ones of other spaces than global begin where no memory of the host is.
constexpr std::uint64_t shared_window = std::uint64_t{1} << 56, parameter_window = std::uint64_t{1} << 57;
/// The first bytes of a block's and of a thread's own memory: not 0, so that what is below them is refused.
constexpr std::uint32_t shared_begin = 1024, local_begin = 4096;

}  // namespace sinter_test::ptx
