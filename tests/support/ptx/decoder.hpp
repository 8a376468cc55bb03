// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "support/ptx/arithmetic.hpp"
#include "support/ptx/instruction.hpp"
#include "support/ptx/text.hpp"

namespace sinter_test::ptx {

// Of a declaration: ".shared .align 16 .b8 x[20]". The size of "x[]" is 0.
std::string variable_name(const std::string& declaration);
std::size_t variable_alignment(const std::string& declaration);
std::size_t variable_size(const std::string& declaration);

/// Makes the instructions of one kernel. What it does not know ends with a Fault that names it.
class Decoder {
 public:
  explicit Decoder(const std::string& name) { kernel_.name = name; }

  void add_shared(const std::string& name, std::size_t alignment, std::size_t size);
  void add_local(const std::string& name, std::size_t alignment, std::size_t size);
  void add_variable(const std::string& name, std::uint64_t address) { variables_[name] = address; }
  void add_parameters(const std::string& list);
  Kernel decode(const std::vector<Statement>& statements);

 private:
  struct Register {
    Type type;
    std::uint32_t row;  // of a predicate its number
  };
  static constexpr std::uint32_t false_predicate = 0, true_predicate = 1;

  [[noreturn]] void refuse(const std::string& why) const;
  void declare(const std::string& text);
  void add_register(const std::string& name, Type type);
  std::uint32_t add_row(int bytes);
  const Register* find(const std::string& name) const;
  const Register& get(const std::string& name) const;

  void add(const std::string& text);
  void add_memory(Instruction i, const std::vector<std::string>& words, const std::vector<std::string>& operands);
  void add_barrier(Instruction i, const std::vector<std::string>& words, const std::vector<std::string>& operands);
  void add_atomic(Instruction i, const std::vector<std::string>& words, const std::vector<std::string>& operands);
  void add_tensor_product(Instruction i, const std::vector<std::string>& words,
                          const std::vector<std::string>& operands);
  void add_exchange(Instruction i, const std::vector<std::string>& words, const std::vector<std::string>& operands);
  void add_branch(Instruction i, const std::vector<std::string>& operands);
  void add_pack(Instruction i, const std::vector<std::string>& operands, Type type);
  void add_arithmetic(Instruction i, const std::vector<std::string>& words, const std::vector<std::string>& operands);
  void push(const Instruction& i);

  std::uint32_t operand(const std::string& text, Type type);
  std::uint32_t immediate(const std::string& text, Type type);
  bool symbol(const std::string& name, std::uint64_t& value) const;
  void address(Instruction& i, const std::string& text);

  Kernel kernel_;
  std::vector<std::map<std::string, Register>> scopes_{1};
  std::map<std::string, std::uint64_t> shared_, variables_;
  std::map<std::string, int> labels_;
  std::vector<std::pair<std::size_t, std::string>> branches_;
  std::map<std::pair<int, std::uint64_t>, std::uint32_t> immediates_;
  Statement now_;
};

}  // namespace sinter_test::ptx
