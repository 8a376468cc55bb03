// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/data/file.hpp"

SINTER_NAMESPACE_BEGIN

/// An IDX file of bytes: [dims[0]] labels, or [dims[0]][dims[1]][dims[2]] pixels, row-major.
struct IdxFile {
  std::vector<std::uint32_t> dims;
  std::vector<std::uint8_t> bytes;
};

namespace detail {

struct IdxHeader {
  std::vector<std::uint32_t> dims;
  std::size_t header_bytes = 0, data_bytes = 0;
};

std::string idx_type(std::uint8_t code);

inline constexpr std::size_t idx_longest_header = 16;

/// The header `00 00 type rank` and rank big-endian sizes, checked against the size of the whole file.
/// `start` is the file's first bytes, idx_longest_header of them unless the file is shorter.
SINTER_COLD IdxHeader parse_idx_header(std::span<const std::uint8_t> start, std::uint64_t file_bytes,
                                       const std::string& name);

}  // namespace detail

/// The IDX file in `file`; `name` is what messages call it. Fails unless it is whole, of bytes, of 1 or 3 dimensions.
SINTER_COLD IdxFile parse_idx(std::span<const std::uint8_t> file, const std::string& name = "the IDX data");

/// Reads an IDX file. Memory is allocated only after the header agrees with the size of the file.
SINTER_COLD IdxFile read_idx(const std::string& path);

SINTER_NAMESPACE_END

namespace sinter {
using internal::parse_idx;
using internal::read_idx;
}  // namespace sinter

#if SINTER_BODIES
#include "sinter/data/idx.ipp"
#endif
