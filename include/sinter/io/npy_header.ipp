// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include "sinter/io/byte_order.hpp"
#include "sinter/io/npy_header.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION void set_npy_type(NpyHeader& header, std::string_view text, std::string_view file) {
  if (text.size() == 3)
    for (const NpyType& known : npy_types)
      if (known.text == text.substr(1)) {
        header.type = known.type;
        header.big_endian = text[0] == '>';
        if (header.big_endian || text[0] == '<' || (text[0] == '|' && bits_of(known.type) == 8)) return;
      }
  header.problem = joined(
      {file, " holds an array of '", text, "', expected plain numbers such as '<f4', '<i8' or '|u1'; convert it"});
}

SINTER_FUNCTION NpyHeader NpyLiteral::read() {
  NpyHeader header;
  int seen = 0;
  expect("{");
  while (!accept("}")) {
    const std::string_view key = string();
    expect(":");
    const int bit = key == "descr" ? 1 : key == "fortran_order" ? 2 : key == "shape" ? 4 : 8;
    if (bit == 8 || seen & bit) refuse("descr, fortran_order and shape, once each");
    seen |= bit;
    if (bit == 1) {
      descr(header);
      if (!header.problem.empty()) return header;
    } else if (bit == 2) {
      header.column_major = accept("True");
      if (!header.column_major) expect("False");
    } else {
      header.shape = tuple();
    }
    if (!accept(",")) {
      expect("}");
      break;
    }
  }
  skip_blanks();
  if (at_ != text_.size() || seen != 7) refuse("descr, fortran_order and shape, once each");
  return header;
}

SINTER_FUNCTION void NpyLiteral::refuse(std::string_view expected) {
  fail(joined({file_, " has a header in which at byte ", at_, " ", expected,
               " was expected; it is damaged or not an npy file: write it again"}));
}

SINTER_FUNCTION bool NpyLiteral::accept(std::string_view wanted) {
  skip_blanks();
  if (!text_.substr(at_).starts_with(wanted)) return false;
  at_ += wanted.size();
  return true;
}

SINTER_FUNCTION std::string_view NpyLiteral::string() {
  const char* quote = accept("'") ? "'" : "\"";
  if (*quote == '"') expect("\"");
  const std::size_t end = text_.find(quote, at_);
  if (end == text_.npos) refuse("the end of a string");
  const std::string_view text = text_.substr(at_, end - at_);
  at_ = end + 1;
  return text;
}

SINTER_FUNCTION void NpyLiteral::descr(NpyHeader& header) {
  if (accept("[")) {
    header.problem = joined({file_, " holds records, expected plain numbers; write each field by itself"});
    return;
  }
  const std::string_view text = string();
  if (text.ends_with('O'))
    header.problem = joined({file_, " holds objects of Python's, expected plain numbers; convert them"});
  else
    set_npy_type(header, text, file_);
}

SINTER_FUNCTION std::vector<std::uint64_t> NpyLiteral::tuple() {
  std::vector<std::uint64_t> sizes;
  expect("(");
  while (!accept(")")) {
    skip_blanks();
    const std::size_t first = at_;
    std::uint64_t size = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      if (at_ - first == 18) refuse("a size of at most 18 digits");
      size = size * 10 + static_cast<std::uint64_t>(text_[at_] - '0');
    }
    if (at_ == first) refuse("a whole number");
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // Python 2's
    if (sizes.size() == most_axes) refuse("64 sizes at most");
    sizes.push_back(size);
    if (!accept(",")) {
      expect(")");
      break;
    }
  }
  return sizes;
}

SINTER_FUNCTION bool begins_as_npy(std::span<const std::byte> file) {
  return std::string_view(reinterpret_cast<const char*>(file.data()), file.size()).starts_with(npy_magic);
}

SINTER_FUNCTION NpyHeader parse_npy_header(std::span<const std::byte> file, std::string_view name) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  if (!begins_as_npy(file) || text.size() < 12)
    fail(joined({name, " does not begin as a npy file does; write it by numpy.save"}));
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(text[i])); };
  const std::size_t version = byte(6), start = version == 1 ? 10 : 12;
  if (version < 1 || version > 3)
    fail(joined({name, " is of version ", version, " of the npy format, expected 1, 2 or 3; write it so"}));
  std::size_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > text.size() - start)
    fail(joined({name, " announces a header of ", length, " bytes, and ", text.size() - start,
                 " follow; it is truncated or damaged: write it again"}));
  NpyHeader header = NpyLiteral(text.substr(start, length), name).read();
  header.size = start + length;
  return header;
}

SINTER_FUNCTION std::vector<std::byte> npy_file(const NamedTensor& tensor) {
  std::uint64_t bytes = 0;
  if (!bytes_of(tensor.type, tensor.shape, bytes) || bytes != tensor.bytes.size())
    fail(joined({"an array of ", shape_text(tensor.shape), " was given ", tensor.bytes.size(),
                 " bytes; give a shape for exactly these"}));
  std::string_view type;
  for (const NpyType& known : npy_types)
    if (known.type == tensor.type) type = known.text;
  if (type.empty()) fail(joined({"NumPy has no numbers of ", name_of(tensor.type), "; convert them to F32"}));

  std::string sizes;
  for (const auto size : tensor.shape) sizes += joined({sizes.empty() ? "" : " ", size, ","});
  if (tensor.shape.size() > 1) sizes.pop_back();
  std::string header = joined({"{'descr': '", bits_of(tensor.type) == 8 ? "|" : "<", type,
                               "', 'fortran_order': False, 'shape': (", sizes, "), }"});
  header.append(63 - (10 + header.size()) % 64, ' ') += '\n';
  if (header.size() > 0xffff)
    fail(joined({"an array of ", tensor.shape.size(), " axes cannot be written; reshape it"}));

  std::vector<std::byte> file(10 + header.size() + tensor.bytes.size());
  std::memcpy(file.data(), npy_magic.data(), npy_magic.size());
  file[6] = std::byte{1};
  put_whole_number(header.size(), std::span(file).subspan(8, 2));
  std::memcpy(file.data() + 10, header.data(), header.size());
  const auto numbers = std::span(file).subspan(10 + header.size());
  std::copy(tensor.bytes.begin(), tensor.bytes.end(), numbers.begin());
  if constexpr (reverses_numbers) reverse_numbers(tensor.type, numbers);
  return file;
}

}  // namespace detail

SINTER_NAMESPACE_END
