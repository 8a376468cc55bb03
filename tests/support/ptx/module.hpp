// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "support/ptx/instruction.hpp"

namespace sinter_test::ptx {

/// The kernels of a text of PTX. Throws Fault with the line where something in it is not known.
class Module {
 public:
  explicit Module(const std::string& text);

  /// Decoded when it is asked for. Throws Fault unless there is one.
  const Kernel& kernel(const std::string& name);
  /// Variables in global memory with bytes of their own, such as tables of constants.
  std::map<std::string, std::vector<std::byte>>& variables() { return variables_; }

 private:
  struct Entry {
    std::string name, parameters, body;
    int parameters_line, body_line;
  };
  struct Variable {
    std::string name;
    std::size_t alignment, size;  // 0: what the launch says
  };
  friend class Decoder;

  std::vector<Entry> entries_;
  std::vector<Variable> shared_;  // outside of kernels
  std::map<std::string, std::vector<std::byte>> variables_;
  std::vector<Kernel> decoded_;
};

}  // namespace sinter_test::ptx
