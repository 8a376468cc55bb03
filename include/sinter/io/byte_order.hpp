// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sinter/core/byte_order.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/io/element_type.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Reverses the bytes of each number.
SINTER_COLD void reverse_numbers(ElementType type, std::span<std::byte> bytes);

/// A tensor's bytes in a file, and back: its own, or a copy on a big-endian machine.
SINTER_COLD std::span<const std::byte> in_file_order(ElementType type, std::span<const std::byte> bytes,
                                                     std::vector<std::byte>& copy);

/// A whole number of up to 8 bytes of a file.
SINTER_COLD std::uint64_t whole_number_in(std::span<const std::byte> bytes);
SINTER_COLD void put_whole_number(std::uint64_t number, std::span<std::byte> to);

}  // namespace detail

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/io/byte_order.ipp"
#endif
