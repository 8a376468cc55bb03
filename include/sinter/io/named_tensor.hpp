// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sinter/core/macros.hpp"
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
SINTER_COLD std::string shape_text(const std::vector<std::uint64_t>& shape);

/// How many bytes a tensor takes; false where it is no whole number of them, or more than 2^64.
bool bytes_of(ElementType type, const std::vector<std::uint64_t>& shape, std::uint64_t& bytes);

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/io/named_tensor.ipp"
#endif
