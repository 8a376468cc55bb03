// SPDX-License-Identifier: MIT
#include "support/ptx/module.hpp"

#include <algorithm>
#include <cstdlib>

#include "support/ptx/arithmetic.hpp"
#include "support/ptx/decoder.hpp"
#include "support/ptx/fault.hpp"
#include "support/ptx/text.hpp"

namespace sinter_test::ptx {
namespace {

int lines_before(const std::string& text, std::size_t at) {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}
std::size_t matching(const std::string& text, std::size_t at, char open, char close) {
  int depth = 0;
  for (std::size_t i = at; i < text.size(); ++i) {
    depth += (text[i] == open) - (text[i] == close);
    if (depth == 0) return i;
  }
  throw Fault("PTX line " + std::to_string(lines_before(text, at)) + ": no end of what begins with " + open);
}

/// Of ".global .align 8 .b8 x[20] = {1, 2}": the rest are 0.
std::vector<std::byte> initial_bytes(const std::string& declaration) {
  std::vector<std::byte> bytes(variable_size(declaration));
  const std::size_t open = declaration.find('{');
  if (open == std::string::npos) return bytes;
  std::size_t at = 0;
  for (const std::string& number : split(declaration.substr(open + 1, declaration.find('}') - open - 1), ',')) {
    if (at == bytes.size()) throw Fault("more numbers than bytes: " + declaration.substr(0, open));
    bytes[at++] = static_cast<std::byte>(std::strtol(number.c_str(), nullptr, 0));
  }
  return bytes;
}

}  // namespace

Module::Module(const std::string& text) {
  const std::string bare = without_comments(text);
  if (bare.find(".version") == std::string::npos) throw Fault("no PTX: there is no .version in the text");
  std::size_t at = 0, declared = 0;
  for (; (at = bare.find(".entry", at)) != std::string::npos;) {
    // What is shared by kernels, before this one.
    const std::size_t name = bare.find_first_not_of(" \t\n", at + 6), open = bare.find('(', name);
    const std::size_t first = bare.find('{', at);
    const bool without = open == std::string::npos || open > first;
    for (const std::string& line : split(bare.substr(declared, at - declared), ';')) {
      if (line.find(".global .align") != std::string::npos && line.find(" .b8 ") != std::string::npos)
        variables_[variable_name(line)] = initial_bytes(line);
      if (const auto variable = line.find(".shared"); variable != std::string::npos) {
        const Variable shared{variable_name(line), variable_alignment(line), variable_size(line)};
        shared_.push_back(shared);
      }
    }
    Entry entry;
    std::size_t end = first;
    if (!without) {
      end = matching(bare, open, '(', ')');
      entry.parameters = bare.substr(open + 1, end - open - 1);
    }
    entry.name = trimmed(bare.substr(name, (without ? first : open) - name));
    const std::size_t begin = bare.find('{', end);
    if (begin == std::string::npos) throw Fault("kernel " + entry.name + " has no body");
    const std::size_t close = matching(bare, begin, '{', '}');
    entry.body = bare.substr(begin + 1, close - begin - 1);
    entry.parameters_line = lines_before(bare, at);
    entry.body_line = lines_before(bare, begin);
    entries_.push_back(std::move(entry));
    declared = at = close + 1;
  }
  decoded_.reserve(entries_.size());
}

const Kernel& Module::kernel(const std::string& name) {
  for (const Kernel& kernel : decoded_)
    if (kernel.name == name) return kernel;
  for (const Entry& entry : entries_)
    if (entry.name == name) {
      Decoder decoder(entry.name);
      for (const Variable& variable : shared_) decoder.add_shared(variable.name, variable.alignment, variable.size);
      for (auto& [variable, bytes] : variables_)
        decoder.add_variable(variable, reinterpret_cast<std::uintptr_t>(bytes.data()));
      decoder.add_parameters(entry.parameters);
      decoded_.push_back(decoder.decode(statements(entry.body, entry.body_line)));
      return decoded_.back();
    }
  throw Fault("there is no kernel " + name + " in the PTX, but " + std::to_string(entries_.size()) + " others");
}

}  // namespace sinter_test::ptx
