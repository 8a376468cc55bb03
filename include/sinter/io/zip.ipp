// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include "sinter/io/byte_order.hpp"
#include "sinter/io/inflate.hpp"
#include "sinter/io/zip.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION std::uint32_t crc32(std::span<const std::byte> bytes) {
  // tables[k][b]: the sum of the byte b with k bytes of 0 after it.
  static constexpr auto tables = [] {
    std::array<std::array<std::uint32_t, 256>, 8> all{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      all[0][i] = i;
      for (int bit = 0; bit < 8; ++bit) all[0][i] = all[0][i] >> 1 ^ (all[0][i] & 1 ? 0xedb88320u : 0u);
    }
    for (std::size_t k = 1; k < 8; ++k)
      for (std::size_t i = 0; i < 256; ++i) all[k][i] = all[k - 1][i] >> 8 ^ all[0][all[k - 1][i] & 255];
    return all;
  }();
  std::uint32_t sum = ~0u;
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    std::uint32_t next = 0;
    for (std::size_t k = 0; k < 8; ++k) {
      const std::uint32_t byte = static_cast<std::uint32_t>(bytes[at + k]) ^ (k < 4 ? sum >> 8 * k & 255 : 0);
      next ^= tables[7 - k][byte];
    }
    sum = next;
  }
  for (; at < bytes.size(); ++at) sum = sum >> 8 ^ tables[0][(sum ^ static_cast<std::uint32_t>(bytes[at])) & 255];
  return ~sum;
}

SINTER_FUNCTION std::span<const std::byte> ZipBytes::part(std::uint64_t at, std::uint64_t size) const {
  if (at > bytes_.size() || size > bytes_.size() - at) refuse();
  return bytes_.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(size));
}

SINTER_FUNCTION std::uint64_t ZipBytes::number(std::uint64_t at, std::size_t size) const {
  return whole_number_in(part(at, size));
}

SINTER_FUNCTION std::string_view ZipBytes::text(std::uint64_t at, std::uint64_t size) const {
  const auto bytes = part(at, size);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

SINTER_FUNCTION void ZipBytes::refuse() const {
  fail(joined({name_, " is not a complete zip file; it is truncated or damaged: write it again"}));
}

SINTER_FUNCTION std::pair<std::uint64_t, std::uint64_t> zip_directory(const ZipBytes& file) {
  constexpr std::uint64_t record = 22, longest_comment = 0xffff;
  for (std::uint64_t back = record; back <= record + longest_comment && back <= file.size(); ++back) {
    const std::uint64_t end = file.size() - back;
    if (file.number(end, 4) != zip_end || file.number(end + 20, 2) != back - record) continue;
    std::uint64_t count = file.number(end + 10, 2), at = file.number(end + 16, 4);
    if (end >= 20 && file.number(end - 20, 4) == zip64_locator) {
      const std::uint64_t large = file.number(end - 12, 8);
      if (large > file.size() || file.number(large, 4) != zip64_end) file.refuse();
      count = file.number(large + 32, 8), at = file.number(large + 48, 8);
    }
    return {at, count};
  }
  file.refuse();
}

SINTER_FUNCTION std::vector<ZipEntry> parse_zip(std::span<const std::byte> bytes, std::string_view name) {
  const ZipBytes file(bytes, name);
  auto [at, count] = zip_directory(file);
  std::vector<ZipEntry> entries;
  std::uint64_t total = 0;
  for (; count > 0; --count) {
    if (file.number(at, 4) != zip_central) file.refuse();
    const std::uint64_t flags = file.number(at + 8, 2), method = file.number(at + 10, 2), sum = file.number(at + 16, 4);
    std::uint64_t packed = file.number(at + 20, 4), size = file.number(at + 24, 4), local = file.number(at + 42, 4);
    const std::uint64_t name_size = file.number(at + 28, 2), extra_size = file.number(at + 30, 2);
    ZipEntry entry{std::string(file.text(at + 46, name_size)), {}};
    // Sizes of 4 GB and more are in a separate field.
    for (std::uint64_t field = at + 46 + name_size, end = field + extra_size; field + 4 <= end;) {
      const std::uint64_t field_size = file.number(field + 2, 2);
      std::uint64_t value = field + 4;
      if (file.number(field, 2) == 1)
        for (std::uint64_t* number : {&size, &packed, &local})
          if (*number == 0xffffffff && value + 8 <= field + 4 + field_size) *number = file.number(value, 8), value += 8;
      field += 4 + field_size;
    }
    if (flags & 1) fail(joined({name, " holds ", entry.name, " encrypted; write it without a password"}));
    constexpr std::uint64_t stored = 0, deflated = 8;
    if (method != stored && method != deflated)
      fail(joined({name, " holds ", entry.name, " compressed by method ", method,
                   " of zip files, expected deflate or none; write it by numpy.savez or savez_compressed"}));
    if (file.number(local, 4) != zip_local || (method == stored ? packed != size : size / Inflate::most > packed))
      file.refuse();
    const std::uint64_t named = file.number(local + 26, 2);
    if (file.text(local + 30, named) != entry.name) file.refuse();
    const std::uint64_t start = local + 30 + named + file.number(local + 28, 2);
    entry.bytes = file.part(start, packed);
    total += packed;
    if (total > file.size()) file.refuse();
    if (method == deflated) {
      const auto unpacked = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(size));
      if (!Inflate(entry.bytes, *unpacked).run())
        fail(joined({name, " holds ", entry.name, ", which cannot be unpacked; it is damaged: write it again"}));
      entry.bytes = *unpacked;
      entry.unpacked = unpacked;
    }
    if (crc32(entry.bytes) != sum)
      fail(joined({name, " holds ", entry.name, ", whose checksum is wrong; it is damaged: write it again"}));
    entries.push_back(std::move(entry));
    at += 46 + name_size + extra_size + file.number(at + 32, 2);
  }
  if (const std::uint64_t next = file.number(at, 4); next != zip_end && next != zip64_end) file.refuse();
  return entries;
}

SINTER_FUNCTION std::vector<std::byte> zip_bytes(const std::vector<ZipEntry>& entries) {
  std::vector<std::byte> file, directory;
  const auto put = [](std::vector<std::byte>& to, std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) to.push_back(static_cast<std::byte>(value >> 8 * i & 255));
  };
  for (const ZipEntry& entry : entries) {
    const std::uint64_t at = file.size();
    // What the two records of an entry share: version 2.0, names of UTF-8, stored, 1 January 1980.
    const auto put_both = [&](std::vector<std::byte>& to) {
      put(to, 20, 2), put(to, 0x800, 2), put(to, 0, 2), put(to, 0, 2), put(to, 0x21, 2), put(to, crc32(entry.bytes), 4);
      put(to, entry.bytes.size(), 4), put(to, entry.bytes.size(), 4), put(to, entry.name.size(), 2), put(to, 0, 2);
    };
    const auto put_name = [&](std::vector<std::byte>& to) {
      for (const char c : entry.name) to.push_back(static_cast<std::byte>(c));
    };
    put(file, zip_local, 4), put_both(file), put_name(file);
    file.insert(file.end(), entry.bytes.begin(), entry.bytes.end());
    put(directory, zip_central, 4), put(directory, 20, 2), put_both(directory);
    put(directory, 0, 2), put(directory, 0, 2), put(directory, 0, 2), put(directory, 0, 4), put(directory, at, 4);
    put_name(directory);
    if (file.size() + directory.size() > 0xffff0000u || entry.name.size() > 0xffff)
      fail("more than 4 GB were to be written as a zip file; write a safetensors file, or several");
  }
  if (entries.size() >= 0xffff) fail("more than 65,534 entries were to be written as a zip file; write several");
  const std::uint64_t at = file.size();
  file.insert(file.end(), directory.begin(), directory.end());
  put(file, zip_end, 4), put(file, 0, 4), put(file, entries.size(), 2), put(file, entries.size(), 2);
  put(file, directory.size(), 4), put(file, at, 4), put(file, 0, 2);
  return file;
}

}  // namespace detail

SINTER_NAMESPACE_END
