// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sinter/core/macros.hpp"
#include "sinter/io/element_type.hpp"

SINTER_NAMESPACE_BEGIN

/// A named tensor, row-major in memory that is owned elsewhere and need not be aligned: a tensor of a file, or a
/// parameter or buffer of a network.
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

/// How many bytes a tensor takes; false if that is not a whole number, or more than 2^64.
bool bytes_of(ElementType type, const std::vector<std::uint64_t>& shape, std::uint64_t& bytes);

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/io/named_tensor.ipp"
#endif
