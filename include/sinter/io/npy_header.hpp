// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/core/text.hpp"
#include "sinter/io/named_tensor.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

struct NpyHeader {
  ElementType type = ElementType::f32;
  bool big_endian = false, column_major = false;
  std::vector<std::uint64_t> shape;
  std::size_t size = 0;  // in bytes, with everything before the numbers
  std::string problem;   // why the array has no plain numbers; then the rest is not read
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

/// Sets the type of an array, or the problem with it.
SINTER_COLD void set_npy_type(NpyHeader& header, std::string_view text, std::string_view file);

/// Reads the header of a .npy file, a literal of Python's: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class NpyLiteral {
 public:
  NpyLiteral(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  NpyHeader read();

 private:
  [[noreturn]] SINTER_COLD void refuse(std::string_view expected);
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }
  bool accept(std::string_view wanted);
  void expect(std::string_view wanted) {
    if (!accept(wanted)) refuse(wanted);
  }
  std::string_view string();
  void descr(NpyHeader& header);
  static constexpr std::size_t most_axes = 64;  // NumPy's own limit
  std::vector<std::uint64_t> tuple();

  std::string_view text_, file_;
  std::size_t at_ = 0;
};

inline constexpr std::string_view npy_magic = "\x93NUMPY";

SINTER_COLD bool begins_as_npy(std::span<const std::byte> file);
SINTER_COLD NpyHeader parse_npy_header(std::span<const std::byte> file, std::string_view name);

/// A .npy file of version 1; the numbers begin at a multiple of 64.
SINTER_COLD std::vector<std::byte> npy_file(const NamedTensor& tensor);

}  // namespace detail

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/io/npy_header.ipp"
#endif
