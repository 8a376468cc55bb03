// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sinter/core/text.hpp"
#include "sinter/io/element_type.hpp"

SINTER_NAMESPACE_BEGIN

static_assert(std::endian::native == std::endian::little, "sinter: files are little-endian, and copied as they are");

/// A tensor by name, row-major in memory that is owned elsewhere and need not be aligned: what files hold, and what a
/// network's parameters and buffers look like to them.
template <class Byte>
struct BasicNamedTensor {
  std::string name;
  ElementType type = ElementType::f32;
  std::vector<std::uint64_t> shape;  ///< empty: a single number
  std::span<Byte> bytes;
};
using NamedTensor = BasicNamedTensor<const std::byte>;
using WritableTensor = BasicNamedTensor<std::byte>;

/// "[20, 10, 5, 5]"
SINTER_COLD inline std::string shape_text(const std::vector<std::uint64_t>& shape) {
  std::string text;
  for (const auto size : shape) text += joined({text.empty() ? "[" : ", ", size});
  return text + (text.empty() ? "[]" : "]");
}

/// How many bytes a tensor takes; false where it is no whole number of them, or more than 2^64.
inline bool bytes_of(ElementType type, const std::vector<std::uint64_t>& shape, std::uint64_t& bytes) {
  std::uint64_t bits = bits_of(type);
  for (const std::uint64_t size : shape) {
    if (size != 0 && bits > UINT64_MAX / size) return false;
    bits *= size;
  }
  bytes = bits / 8;
  return bits % 8 == 0;
}

SINTER_NAMESPACE_END
