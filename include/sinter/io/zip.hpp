// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/core/text.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// The checksum of zip files: CRC-32 of IEEE 802.3, reflected.
SINTER_COLD std::uint32_t crc32(std::span<const std::byte> bytes);

/// A file inside a zip file.
struct ZipEntry {
  std::string name;
  std::span<const std::byte> bytes;
  std::shared_ptr<const std::vector<std::byte>> unpacked = {};  ///< what `bytes` sees if it was compressed
};

/// Little-endian numbers at offsets in a file; offsets outside of it are refused.
class ZipBytes {
 public:
  ZipBytes(std::span<const std::byte> bytes, std::string_view name) : bytes_(bytes), name_(name) {}

  std::uint64_t size() const { return bytes_.size(); }
  std::span<const std::byte> part(std::uint64_t at, std::uint64_t size) const;
  std::uint64_t number(std::uint64_t at, std::size_t size) const;
  std::string_view text(std::uint64_t at, std::uint64_t size) const;
  [[noreturn]] SINTER_COLD void refuse() const;

 private:
  std::span<const std::byte> bytes_;
  std::string_view name_;
};

inline constexpr std::uint64_t zip_local = 0x04034b50, zip_central = 0x02014b50, zip_end = 0x06054b50,
                               zip64_end = 0x06064b50, zip64_locator = 0x07064b50;

/// Where the directory of a zip file begins, and its number of entries: by the record at the file's end.
SINTER_COLD std::pair<std::uint64_t, std::uint64_t> zip_directory(const ZipBytes& file);

/// The entries of a zip file, stored or compressed by deflate. All sizes are checked against the length of the file
/// before they are used: entries together are not longer than it, or, unpacked, 1032 times as long, the most that
/// deflate can do.
SINTER_COLD std::vector<ZipEntry> parse_zip(std::span<const std::byte> bytes, std::string_view name);

/// A zip file of uncompressed entries.
SINTER_COLD std::vector<std::byte> zip_bytes(const std::vector<ZipEntry>& entries);

}  // namespace detail

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/io/zip.ipp"
#endif
