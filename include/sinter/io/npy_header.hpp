// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/core/text.hpp"
#include "sinter/io/named_tensor.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

struct NpyHeader {
  ElementType type = ElementType::f32;
  bool column_major = false;
  std::vector<std::uint64_t> shape;
  std::size_t size = 0;  // in bytes, with everything before the numbers
};

struct NpyType {
  std::string_view text;  // after the order of the bytes
  ElementType type;
};
inline constexpr NpyType npy_types[] = {
    {"f4", ElementType::f32}, {"f8", ElementType::f64}, {"f2", ElementType::f16}, {"u1", ElementType::u8},
    {"i1", ElementType::i8},  {"i8", ElementType::i64}, {"i4", ElementType::i32}, {"i2", ElementType::i16},
    {"u8", ElementType::u64}, {"u4", ElementType::u32}, {"u2", ElementType::u16}, {"b1", ElementType::boolean},
};

SINTER_COLD inline ElementType npy_type(std::string_view text, std::string_view file) {
  if (text.size() == 3)
    for (const NpyType& known : npy_types)
      if (known.text == text.substr(1)) {
        if (text[0] == '<' || (text[0] == '|' && bits_of(known.type) == 8)) return known.type;
        if (text[0] == '>')
          fail(joined({file, " holds big-endian numbers; write it by a.astype(a.dtype.newbyteorder('<'))"}));
      }
  fail(joined(
      {file, " holds an array of '", text, "', expected plain numbers such as '<f4', '<i8' or '|u1'; convert it"}));
}

/// Reads the header of a .npy file, a literal of Python's: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class NpyLiteral {
 public:
  NpyLiteral(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  NpyHeader read() {
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
        header.type = descr();
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

 private:
  [[noreturn]] SINTER_COLD void refuse(std::string_view expected) {
    fail(joined({file_, " has a header in which at byte ", at_, " ", expected,
                 " was expected; it is damaged or no npy file: write it again"}));
  }
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }
  bool accept(std::string_view wanted) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(wanted)) return false;
    at_ += wanted.size();
    return true;
  }
  void expect(std::string_view wanted) {
    if (!accept(wanted)) refuse(wanted);
  }
  std::string_view string() {
    const char* quote = accept("'") ? "'" : "\"";
    if (*quote == '"') expect("\"");
    const std::size_t end = text_.find(quote, at_);
    if (end == text_.npos) refuse("the end of a string");
    const std::string_view text = text_.substr(at_, end - at_);
    at_ = end + 1;
    return text;
  }
  ElementType descr() {
    if (accept("[")) fail(joined({file_, " holds records, expected plain numbers; write each field by itself"}));
    const std::string_view text = string();
    if (text.ends_with('O')) fail(joined({file_, " holds objects of Python's, expected plain numbers; convert them"}));
    return npy_type(text, file_);
  }
  static constexpr std::size_t most_axes = 64;  // NumPy's own limit
  std::vector<std::uint64_t> tuple() {
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
      if (sizes.size() == most_axes) refuse("64 sizes at most");
      sizes.push_back(size);
      if (!accept(",")) {
        expect(")");
        break;
      }
    }
    return sizes;
  }

  std::string_view text_, file_;
  std::size_t at_ = 0;
};

inline constexpr std::string_view npy_magic = "\x93NUMPY";

SINTER_COLD inline NpyHeader parse_npy_header(std::span<const std::byte> file, std::string_view name) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  if (!text.starts_with(npy_magic) || text.size() < 12)
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

/// A .npy file of version 1; the numbers begin at a multiple of 64.
SINTER_COLD inline std::vector<std::byte> npy_file(const NamedTensor& tensor) {
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
  const auto length = static_cast<std::uint16_t>(header.size());
  std::memcpy(file.data(), npy_magic.data(), npy_magic.size());
  file[6] = std::byte{1};
  std::memcpy(file.data() + 8, &length, 2);
  std::memcpy(file.data() + 10, header.data(), header.size());
  if (!tensor.bytes.empty()) std::memcpy(file.data() + 10 + header.size(), tensor.bytes.data(), tensor.bytes.size());
  return file;
}

}  // namespace detail

SINTER_NAMESPACE_END
