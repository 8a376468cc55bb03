// SPDX-License-Identifier: MIT
#include "support/ptx/decoder.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "support/ptx/contract.hpp"
#include "support/ptx/fault.hpp"
#include "support/ptx/lanes.hpp"
#include "support/ptx/packs.hpp"
#include "support/ptx/tensor_cores.hpp"

namespace sinter_test::ptx {
namespace {

std::size_t up_to(std::size_t n, std::size_t multiple) { return (n + multiple - 1) / multiple * multiple; }

std::vector<std::string> list_in_braces(const std::string& text) { return split(text.substr(1, text.size() - 2), ','); }

}  // namespace

std::string variable_name(const std::string& declaration) {
  const std::string text = split(declaration, '=').front();
  const std::size_t last = text.find_last_of(' ') + 1;
  return text.substr(last, text.find('[', last) - last);
}
std::size_t variable_alignment(const std::string& declaration) {
  const std::size_t at = declaration.find(".align ");
  return at == std::string::npos ? 8 : std::stoul(declaration.substr(at + 7));
}
std::size_t variable_size(const std::string& declaration) {
  std::size_t bytes = 0;
  for (const std::string& word : split(declaration, ' '))
    if (word.size() > 1 && word[0] == '.' && type_of(word.substr(1)).kind != Type::none)
      bytes = static_cast<std::size_t>(type_of(word.substr(1)).bytes());
  const std::size_t open = declaration.find('[');
  if (open == std::string::npos) return bytes;
  return bytes * std::strtoul(declaration.c_str() + open + 1, nullptr, 10);
}

void Decoder::refuse(const std::string& why) const {
  throw Fault("kernel " + kernel_.name + ", PTX line " + std::to_string(now_.line) + ": `" + now_.text + "`: " + why);
}

void Decoder::add_shared(const std::string& name, std::size_t alignment, std::size_t size) {
  // What the launch gives, of no size here, begins after all others.
  const std::size_t at = up_to(kernel_.static_shared, alignment);
  shared_[name] = shared_begin + at;
  if (size != 0) {
    kernel_.static_shared = at + size;
    for (auto& [other, address] : shared_)
      if (address == shared_begin + at && other != name) address = shared_begin + up_to(at + size, 16);
  }
}

void Decoder::add_local(const std::string& name, std::size_t alignment, std::size_t size) {
  const std::size_t at = up_to(kernel_.local_bytes, alignment);
  variables_[name] = local_begin + at;
  kernel_.local_bytes = at + size;
}

void Decoder::add_parameters(const std::string& list) {
  for (const std::string& parameter : split(list, ',')) {
    const std::size_t size = variable_size(parameter);
    const std::size_t alignment = parameter.find(".align") == std::string::npos ? size : variable_alignment(parameter);
    const std::size_t offset = up_to(kernel_.parameter_bytes, std::max<std::size_t>(alignment, 1));
    kernel_.parameters.push_back({variable_name(parameter), offset, size});
    kernel_.parameter_bytes = offset + size;
  }
}

std::uint32_t Decoder::add_row(int bytes) {
  const std::uint32_t row = kernel_.row_bytes;
  kernel_.row_bytes += static_cast<std::uint32_t>(up_to(static_cast<std::size_t>(bytes * lanes_of_warp), 64));
  return row;
}
void Decoder::add_register(const std::string& name, Type type) {
  const std::uint32_t at =
      type.kind == Type::predicate ? static_cast<std::uint32_t>(kernel_.predicates++) : add_row(type.bytes());
  scopes_.back()[name] = {type, at};
}
const Decoder::Register* Decoder::find(const std::string& name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (const auto found = scope->find(name); found != scope->end()) return &found->second;
  return nullptr;
}
const Decoder::Register& Decoder::get(const std::string& name) const {
  const Register* known = find(name);
  if (known == nullptr) refuse("there is no register " + name);
  return *known;
}

/// ".reg .b32 %r<20>", ".reg .pred %p1, %p2", ".shared .align 4 .b8 x[8]".
void Decoder::declare(const std::string& text) {
  if (text.rfind(".pragma", 0) == 0) return;
  if (text.rfind(".shared", 0) == 0) {
    add_shared(variable_name(text), variable_alignment(text), variable_size(text));
    return;
  }
  if (text.rfind(".local", 0) == 0) {
    add_local(variable_name(text), variable_alignment(text), variable_size(text));
    return;
  }
  if (text.rfind(".reg .", 0) != 0) refuse("this declaration is not known");
  const std::size_t space = text.find(' ', 6);
  const Type type = type_of(text.substr(6, space - 6));
  if (type.kind == Type::none) refuse("a register of a type that is not known");
  for (const std::string& name : split(text.substr(space), ',')) {
    const std::size_t open = name.find('<');
    if (open == std::string::npos) {
      add_register(name, type);
      continue;
    }
    const int count = std::atoi(name.c_str() + open + 1);
    for (int k = 0; k < count; ++k) add_register(name.substr(0, open) + std::to_string(k), type);
  }
}

Kernel Decoder::decode(const std::vector<Statement>& statements) {
  kernel_.predicates = 2;  // false and true
  constexpr std::array specials = {
      std::pair{"%tid.x", SpecialRegister::thread},       std::pair{"%ctaid.x", SpecialRegister::block},
      std::pair{"%ntid.x", SpecialRegister::threads},     std::pair{"%nctaid.x", SpecialRegister::blocks},
      std::pair{"%laneid", SpecialRegister::lane},        std::pair{"%lanemask_le", SpecialRegister::lanes_up_to},
      std::pair{"%ctaid.y", SpecialRegister::first_of_y}, std::pair{"%nctaid.y", SpecialRegister::one_of_y}};
  for (const auto& [name, which] : specials) {
    add_register(name, {Type::natural, 32});
    kernel_.special.push_back({which, get(name).row});
  }
  for (const Statement& statement : statements) {
    now_ = statement;
    const std::string& text = statement.text;
    if (text == "{") {
      scopes_.emplace_back();
    } else if (text == "}") {
      if (scopes_.size() == 1) refuse("the end of no scope");
      scopes_.pop_back();
    } else if (text.back() == ':') {
      labels_[text.substr(0, text.size() - 1)] = static_cast<int>(kernel_.code.size());
    } else if (text[0] == '.') {
      declare(text);
    } else {
      add(text);
    }
  }
  for (const auto& [index, label] : branches_) {
    Instruction& i = kernel_.code[index];
    now_ = {kernel_.text[index], i.line};
    const auto found = labels_.find(label);
    if (found == labels_.end()) refuse("there is no label " + label);
    i.target = found->second;
  }
  Instruction end;
  end.action = Action::end;
  end.kind = Kind::branch;
  now_ = {"the end of the kernel", statements.empty() ? 0 : statements.back().line};
  push(end);
  contract(kernel_, labels_);
  return std::move(kernel_);
}

void Decoder::push(const Instruction& i) {
  kernel_.code.push_back(i);
  kernel_.code.back().line = now_.line;
  kernel_.text.push_back(now_.text);
}

void Decoder::add(const std::string& text) {
  Instruction i;
  std::string rest = text;
  if (rest[0] == '@') {
    const std::size_t space = rest.find(' ');
    if (space == std::string::npos) refuse("a guard without an instruction");
    std::string name = rest.substr(1, space - 1);
    i.guard_inverted = name[0] == '!';
    if (i.guard_inverted) name.erase(0, 1);
    const Register& guard = get(name);
    if (guard.type.kind != Type::predicate) refuse("a guard that is no predicate");
    i.guard = static_cast<int>(guard.row);
    rest = rest.substr(space + 1);
  }
  const std::size_t space = std::min(rest.find(' '), rest.size());
  const std::vector<std::string> words = split(rest.substr(0, space), '.');
  const std::vector<std::string> operands = split(rest.substr(space), ',');
  const std::string& op = words.front();
  if (op == "ld" || op == "st") {
    add_memory(i, words, operands);
  } else if (op == "bra") {
    add_branch(i, operands);
  } else if (op == "bar" || op == "barrier") {
    add_barrier(i, words, operands);
  } else if (op == "atom") {
    add_atomic(i, words, operands);
  } else if (op == "shfl" || op == "vote") {
    add_exchange(i, words, operands);
  } else if (op == "mma") {
    add_tensor_product(i, words, operands);
  } else if (op == "membar" || op == "fence" || op == "prefetch" || op == "griddepcontrol") {
    i.action = Action::fence;
    i.kind = Kind::barrier;
    push(i);
  } else if (op == "ret" || op == "exit" || op == "trap") {
    i.action = op == "trap" ? Action::trap : Action::end;
    i.kind = Kind::branch;
    push(i);
  } else {
    add_arithmetic(i, words, operands);
  }
}

void Decoder::add_branch(Instruction i, const std::vector<std::string>& operands) {
  if (operands.size() != 1) refuse("a branch with one label was expected");
  i.action = Action::branch;
  i.kind = Kind::branch;
  branches_.emplace_back(kernel_.code.size(), operands[0]);
  push(i);
}

void Decoder::add_barrier(Instruction i, const std::vector<std::string>& words,
                          const std::vector<std::string>& operands) {
  i.kind = Kind::barrier;
  if (words == std::vector<std::string>{"bar", "sync"} && operands == std::vector<std::string>{"0"}) {
    i.action = Action::barrier;
  } else if (words == std::vector<std::string>{"bar", "red", "or", "pred"} && operands.size() == 3 &&
             operands[1] == "0") {
    i.action = Action::any_barrier;
    i.to = get(operands[0]).row;
    i.a = get(operands[2]).row;
  } else if (words == std::vector<std::string>{"bar", "warp", "sync"} && operands.size() == 1) {
    i.action = Action::warp_barrier;
    i.a = operand(operands[0], {Type::bits, 32});
  } else {
    refuse("this barrier is not known");
  }
  push(i);
}

bool Decoder::symbol(const std::string& name, std::uint64_t& value) const {
  if (const auto found = shared_.find(name); found != shared_.end()) {
    value = found->second;
    return true;
  }
  if (const auto found = variables_.find(name); found != variables_.end()) {
    value = found->second;
    return true;
  }
  for (const Parameter& parameter : kernel_.parameters)
    if (parameter.name == name) {
      value = parameter_window + parameter.offset;
      return true;
    }
  return false;
}

/// "[%rd4+8]", "[name]", "[name+-4]".
void Decoder::address(Instruction& i, const std::string& text) {
  if (text.size() < 3 || text.front() != '[' || text.back() != ']') refuse("an address in [] was expected");
  std::string base = text.substr(1, text.size() - 2);
  if (const std::size_t plus = base.find('+'); plus != std::string::npos) {
    char* end = nullptr;
    i.offset = std::strtoll(base.c_str() + plus + 1, &end, 0);
    if (*end != '\0') refuse("an offset that is no number");
    base = base.substr(0, plus);
  }
  if (const Register* known = find(base)) {
    if (known->type.width != 32 && known->type.width != 64)
      refuse("an address in a register of 32 or 64 bits was expected");
    i.has_base = true;
    i.wide_base = known->type.width == 64;
    i.a = known->row;
    return;
  }
  std::uint64_t value = 0;
  if (!symbol(base, value)) refuse("there is no variable " + base);
  i.offset += static_cast<std::int64_t>(value);
}

void Decoder::add_memory(Instruction i, const std::vector<std::string>& words,
                         const std::vector<std::string>& operands) {
  const bool loads = words[0] == "ld";
  if (operands.size() != 2) refuse("two operands were expected");
  i.action = loads ? Action::load : Action::store;
  const Type type = type_of(words.back());
  if (type.kind == Type::none || type.kind == Type::predicate) refuse("a type that is not known");
  for (std::size_t k = 1; k + 1 < words.size(); ++k) {
    const std::string& word = words[k];
    if (word == "global")
      i.space = Space::global;
    else if (word == "shared")
      i.space = Space::shared;
    else if (word == "local")
      i.space = Space::local;
    else if (word == "param")
      i.space = Space::parameter;
    else if (word == "v2" || word == "v4")
      i.vector = static_cast<std::uint8_t>(word[1] - '0');
    else if (word == "volatile")
      i.unordered = true;
    else if (word != "nc")
      refuse("." + word + " is not known here");
  }
  i.bytes = static_cast<std::uint8_t>(type.bytes());
  i.signed_numbers = type.kind == Type::integer;
  if (i.bytes * i.vector > 16) refuse("more than 16 bytes at once");
  const std::string &list = operands[loads ? 0 : 1], &where = operands[loads ? 1 : 0];
  const std::vector<std::string> names = list[0] == '{' ? list_in_braces(list) : std::vector<std::string>{list};
  if (names.size() != i.vector) refuse("other registers than numbers");
  for (std::size_t k = 0; k < names.size(); ++k) {
    const Register* known = find(names[k]);
    if (known == nullptr && loads) refuse("there is no register " + names[k]);
    const Type own = known == nullptr ? type : known->type;
    if (own.kind == Type::predicate || own.bytes() < i.bytes) refuse(names[k] + " is narrower than the numbers");
    i.rows[k] = known == nullptr ? operand(names[k], type) : known->row;
    i.row_bytes[k] = static_cast<std::uint8_t>(own.bytes());
  }
  address(i, where);
  i.kind = i.space == Space::parameter ? Kind::parameter
           : i.space == Space::generic ? Kind::generic
           : i.space == Space::local   ? Kind::local
           : i.space == Space::shared  ? (loads ? Kind::shared_load : Kind::shared_store)
                                       : (loads ? Kind::global_load : Kind::global_store);
  push(i);
}

/// atom.global.add.u32 %r1, [%rd1], %r2.
void Decoder::add_atomic(Instruction i, const std::vector<std::string>& words,
                         const std::vector<std::string>& operands) {
  const bool global = words.size() == 4 && words[1] == "global", shared = words.size() == 4 && words[1] == "shared";
  if ((!global && !shared) || words[2] != "add" || words[3] != "u32" || operands.size() != 3)
    refuse("of atomic operations, sums of 32 bits are known");
  i.action = Action::add;
  i.space = global ? Space::global : Space::shared;
  i.kind = global ? Kind::global_store : Kind::shared_store;
  i.unordered = true;
  i.bytes = 4;
  i.to = get(operands[0]).row;
  i.rows[0] = operand(operands[2], {Type::bits, 32});
  address(i, operands[1]);
  push(i);
}

/// shfl.sync.down.b32 %r1|%p1, %r2, %r3, %r4, %r5 and vote.sync.ballot.b32 %r1, %p1, %r2.
void Decoder::add_exchange(Instruction i, const std::vector<std::string>& words,
                           const std::vector<std::string>& operands) {
  const Type word{Type::bits, 32};
  i.compute = exchange_of(words);
  i.kind = Kind::move;
  const bool votes = words[0] == "vote";
  if (i.compute == nullptr) refuse("this exchange between lanes is not known");
  if (operands.size() != (votes ? 3u : 5u)) refuse(std::to_string(votes ? 3 : 5) + " operands were expected");
  const std::vector<std::string> to = split(operands[0], '|');
  i.to = get(to[0]).row;
  if (to.size() == 2) {
    i.vector = 2;
    i.rows[1] = get(to[1]).row;
  }
  i.a = operand(operands[1], votes ? Type{Type::predicate, 1} : word);
  if (!votes) {
    i.b = operand(operands[2], word);
    i.c = operand(operands[3], word);
  }
  i.rows[0] = operand(operands.back(), word);
  push(i);
}

/// mma.sync.aligned.m16n8k8.. {%f1, .. %f4}, {%r1, .. %r4}, {%r5, %r6}, {%f5, .. %f8}.
void Decoder::add_tensor_product(Instruction i, const std::vector<std::string>& words,
                                 const std::vector<std::string>& operands) {
  i.compute = tensor_product_of(words);
  i.kind = Kind::tensor;
  if (i.compute == nullptr) refuse("this product of matrices is not known");
  constexpr std::array<std::size_t, 4> sizes{4, 4, 2, 4};
  if (operands.size() != sizes.size()) refuse("4 operands were expected");
  std::size_t at = 0;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    const std::vector<std::string> names =
        operands[k][0] == '{' ? list_in_braces(operands[k]) : std::vector<std::string>{};
    if (names.size() != sizes[k]) refuse(std::to_string(sizes[k]) + " registers in braces were expected");
    const Type type{k == 0 || k == 3 ? Type::real : Type::bits, 32};
    for (const std::string& name : names) i.rows[at++] = operand(name, type);
  }
  i.to = i.rows[0];
  push(i);
}

std::uint32_t Decoder::immediate(const std::string& text, Type type) {
  std::uint64_t value = 0;
  const bool single = text.rfind("0f", 0) == 0, twice = text.rfind("0d", 0) == 0;
  if (single || twice) {
    if (type.width != (single ? 32 : 64)) refuse(text + " is of another type");
    value = std::stoull(text.substr(2), nullptr, 16);
  } else if (symbol(text, value)) {
    if (type.width == 32 && value >= shared_window) refuse("an address of 64 bits in a register of 32");
  } else {
    char* end = nullptr;
    value = text[0] == '-' ? static_cast<std::uint64_t>(std::strtoll(text.c_str(), &end, 0))
                           : std::strtoull(text.c_str(), &end, 0);
    if (end == text.c_str() || (*end != '\0' && std::strcmp(end, "U") != 0)) refuse(text + " is not known");
  }
  const auto [place, made] = immediates_.try_emplace({type.bytes(), value}, 0);
  if (made) {
    place->second = add_row(type.bytes());
    kernel_.constants.push_back({place->second, type.bytes(), value});
  }
  return place->second;
}

std::uint32_t Decoder::operand(const std::string& text, Type type) {
  if (type.kind == Type::predicate && (text == "0" || text == "1" || text == "-1"))
    return text == "0" ? false_predicate : true_predicate;
  const Register* known = find(text);
  if (known == nullptr && text[0] == '%') refuse("there is no register " + text);
  if (known == nullptr) return immediate(text, type);
  if (known->type.width != type.width) refuse(text + " is of another width");
  return known->row;
}

/// mov of one register to several, or of several to one.
void Decoder::add_pack(Instruction i, const std::vector<std::string>& operands, Type type) {
  const bool packs = operands[1][0] == '{';
  const std::vector<std::string> names = list_in_braces(operands[packs ? 1 : 0]);
  if (names.size() != 2 && names.size() != 4) refuse("2 or 4 registers were expected");
  i.vector = static_cast<std::uint8_t>(names.size());
  const Type part{Type::bits, type.width / i.vector};
  i.bytes = static_cast<std::uint8_t>(part.bytes());
  for (std::size_t k = 0; k < names.size(); ++k)
    i.rows[k] = names[k] == "_" ? add_row(part.bytes()) : operand(names[k], part);
  i.a = operand(operands[packs ? 0 : 1], type);
  i.compute = packs ? pack_function(type.bytes()) : unpack_function(type.bytes());
  i.kind = Kind::move;
  push(i);
}

void Decoder::add_arithmetic(Instruction i, const std::vector<std::string>& words,
                             const std::vector<std::string>& operands) {
  if (words[0] == "mov" && operands.size() == 2 && (operands[0][0] == '{' || operands[1][0] == '{')) {
    add_pack(i, operands, type_of(words.back()));
    return;
  }
  Arithmetic arithmetic = arithmetic_of(words);
  if (words == std::vector<std::string>{"cvta", "to", "shared", "u64"} ||
      words == std::vector<std::string>{"cvta", "shared", "u64"}) {
    // Between an address in shared memory and a generic one.
    const bool to = words[1] == "to";
    if (operands.size() != 2) refuse("two operands were expected");
    i.compute = to ? generic_to_shared : shared_to_generic;
    i.to = operand(operands[0], {Type::bits, 64});
    i.a = operand(operands[1], {Type::bits, 64});
    i.kind = Kind::integer;
    push(i);
    return;
  }
  if (arithmetic.compute == nullptr)
    refuse("the instruction is not known, or its result is not specified to the last bit");
  if (operands.size() != arithmetic.from.size() + 1)
    refuse(std::to_string(arithmetic.from.size() + 1) + " operands were expected");
  i.compute = arithmetic.compute;
  i.kind = arithmetic.kind;
  const bool converts = words[0] == "cvt";
  std::array<std::uint32_t*, 4> places{&i.a, &i.b, &i.c, &i.rows[0]};
  for (std::size_t k = 0; k < arithmetic.from.size(); ++k) {
    const std::string& text = operands[k + 1];
    const Type type = arithmetic.from[k];
    const Register* known = find(text);
    if (converts && known != nullptr && known->type.width > type.width) {
      // A number in a wider register: its low bits.
      Instruction narrow = i;
      narrow.kind = Kind::count;
      narrow.compute =
          arithmetic_of({"cvt", "u" + std::to_string(type.width), "u" + std::to_string(known->type.width)}).compute;
      narrow.a = known->row;
      narrow.to = add_row(type.bytes());
      push(narrow);
      *places[k] = narrow.to;
    } else {
      *places[k] = operand(text, type);
    }
  }
  const Register& to = get(operands[0]);
  if (to.type.width == arithmetic.to.width) {
    i.to = to.row;
    push(i);
  } else if (converts && to.type.width > arithmetic.to.width && arithmetic.to.kind != Type::real) {
    Instruction widen = i;
    i.to = add_row(arithmetic.to.bytes());
    push(i);
    const std::string letter = arithmetic.to.kind == Type::integer ? "s" : "u";
    widen.kind = Kind::count;
    widen.compute =
        arithmetic_of({"cvt", letter + std::to_string(to.type.width), letter + std::to_string(arithmetic.to.width)})
            .compute;
    widen.a = i.to;
    widen.to = to.row;
    push(widen);
  } else {
    refuse(operands[0] + " is of another width");
  }
}

}  // namespace sinter_test::ptx
