// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "sinter/core/error.hpp"
#include "sinter/network/stored.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// The first bytes of packed weights; numbers and floats follow, each from a multiple of 64 bytes on.
struct PackedHeader {
  static constexpr std::uint64_t expected = 0x313072746e6973ff;  // as bytes: 255 "sintr01"
  std::uint64_t magic = expected, fingerprint = 0, storage = 0, numbers = 0, floats = 0, checksum = 0, unused[2]{};
};
static_assert(sizeof(PackedHeader) == 64);

/// The checksum of packed weights; 0, which older ones have in their header, is none. Another word of 8 bytes always
/// changes it.
SINTER_COLD inline std::uint64_t packed_checksum(std::span<const std::byte> packed) {
  std::uint64_t sum = 0xcbf29ce484222325u;
  for (std::size_t at = 0; at < packed.size(); at += 8) {
    std::uint64_t word = 0;
    if (at != offsetof(PackedHeader, checksum))
      std::memcpy(&word, packed.data() + at, packed.size() - at < 8 ? packed.size() - at : 8);
    sum = (sum ^ word) * 0x100000001b3u;
  }
  return sum == 0 ? 1 : sum;
}

constexpr std::size_t whole_lines(std::size_t bytes) { return (bytes + 63) / 64 * 64; }
constexpr std::size_t bytes_of(Storage storage) {
  return storage == Storage::float16 ? 2 : storage == Storage::int8 ? 1 : sizeof(float);
}
constexpr const char* name_of(Storage storage) {
  return storage == Storage::float32   ? "float32"
         : storage == Storage::float16 ? "float16"
         : storage == Storage::int8    ? "int8"
                                       : "panels";
}

/// The positions of the parts of packed weights.
struct PackedParts {
  Storage storage;
  const std::byte *numbers, *floats;
};

/// Fails unless these are complete weights of this model, with their checksum, aligned for floats.
template <class Model>
SINTER_COLD PackedParts parts_of_packed(std::span<const std::byte> bytes) {
  PackedHeader header;
  if (bytes.size() < sizeof header)
    fail([&] {
      return "packed weights of " + std::to_string(bytes.size()) +
             " bytes were given, too few for their header; pass all of the file";
    });
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != PackedHeader::expected || header.storage > static_cast<std::uint64_t>(Storage::panels))
    fail([] {
      return "these are not packed weights; pass what packed_bytes() or save_packed() wrote on a machine of "
             "the same byte order";
    });
  if (header.fingerprint != fingerprint<Model>)
    fail([] {
      return "the packed weights belong to another model; pack a network of this one, with the same layers and options";
    });
  const auto storage = static_cast<Storage>(header.storage);
  const auto size = StoragePlan<Model>::size(storage);
  const std::size_t floats_at = sizeof header + whole_lines(size.numbers * bytes_of(storage)),
                    whole = floats_at + size.floats * sizeof(float);
  if (header.numbers != size.numbers || header.floats != size.floats || bytes.size() != whole)
    fail([&] {
      return "the packed weights are damaged: " + std::to_string(bytes.size()) +
             " bytes were given, and this model has " + std::to_string(whole) + "; pack the network again";
    });
  if (header.checksum != 0 && header.checksum != packed_checksum(bytes))
    fail([] { return "the packed weights are damaged: their checksum is wrong; get them again"; });
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(float) != 0)
    fail([] {
      return "packed weights are at an address that is not a multiple of 4, where floats cannot be read; align them, "
             "best by 64";
    });
  return {storage, bytes.data() + sizeof header, bytes.data() + floats_at};
}

}  // namespace detail

SINTER_NAMESPACE_END
