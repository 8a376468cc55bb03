// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>

#include "sinter/data/cannot_open.hpp"
#include "sinter/data/idx.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION std::string idx_type(std::uint8_t code) {
  switch (code) {
    case 0x09:
      return "int8";
    case 0x0b:
      return "int16";
    case 0x0c:
      return "int32";
    case 0x0d:
      return "float32";
    case 0x0e:
      return "float64";
    default:
      return "unknown type " + std::to_string(code);
  }
}

SINTER_FUNCTION IdxHeader parse_idx_header(std::span<const std::uint8_t> start, std::uint64_t file_bytes,
                                           const std::string& name) {
  const auto refuse = [&](const std::string& found) { fail(name + " " + found); };
  if (file_bytes == 0) refuse("is empty, expected an IDX file; fetch it again");
  if (start.size() >= 2 && start[0] == 0x1f && start[1] == 0x8b)
    refuse("is compressed by gzip, expected an IDX file as it is; run: gunzip " + name);
  if (start.size() < 8)
    refuse("holds " + std::to_string(file_bytes) +
           " bytes, expected an IDX file, of which the header alone is 8 or more; fetch it again");
  if (start[0] != 0 || start[1] != 0) {
    char found[3 * 4 + 1];
    std::snprintf(found, sizeof found, "%02x %02x %02x %02x", start[0], start[1], start[2], start[3]);
    refuse("begins with the bytes " + std::string(found) +
           ", expected the 00 00 08 of an IDX file; check that it is the data and not, say, a web page about it");
  }
  if (start[2] != 0x08) refuse("holds numbers of " + idx_type(start[2]) + ", expected bytes (type 8); convert it");
  const std::size_t rank = start[3];
  if (rank != 1 && rank != 3)
    refuse("has " + std::to_string(rank) + " dimensions, expected 1 (labels) or 3 (images); pass such a file");

  IdxHeader header;
  header.header_bytes = 4 + 4 * rank;
  if (start.size() < header.header_bytes)
    refuse("ends after " + std::to_string(file_bytes) + " bytes, within its header of " +
           std::to_string(header.header_bytes) + " bytes; fetch it again");
  std::uint64_t product = 1;
  std::string sizes;
  bool fits = true;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::uint8_t* at = start.data() + 4 + 4 * i;
    const std::uint32_t size =
        std::uint32_t{at[0]} << 24 | std::uint32_t{at[1]} << 16 | std::uint32_t{at[2]} << 8 | at[3];
    if (size != 0 && product > UINT64_MAX / size) fits = false;
    product *= size;
    header.dims.push_back(size);
    sizes += (i ? " x " : "") + std::to_string(size);
  }
  if (!fits || product != file_bytes - header.header_bytes)
    refuse("announces " + sizes + " bytes, but " + std::to_string(file_bytes - header.header_bytes) +
           " follow its header; it is truncated or damaged: fetch it again");
  if (product == 0) refuse("announces " + sizes + " bytes, so it has no data; fetch it again");
  header.data_bytes = static_cast<std::size_t>(product);
  return header;
}

}  // namespace detail

SINTER_FUNCTION IdxFile parse_idx(std::span<const std::uint8_t> file, const std::string& name) {
  const auto header = detail::parse_idx_header(file, file.size(), name);
  const auto data = file.subspan(header.header_bytes);
  return {header.dims, {data.begin(), data.end()}};
}

SINTER_FUNCTION IdxFile read_idx(const std::string& path) {
  const auto give_up = [&] { fail("cannot read " + path + ", expected a regular IDX file; check the path"); };
  if (detail::is_irregular(path)) give_up();  // opening a FIFO would wait for its writer
  File file(path, "rb");
  if (!file) detail::fail_to_open(path);

  std::uint8_t start[detail::idx_longest_header];
  const std::size_t count = std::fread(start, 1, sizeof start, file.handle());
  if (std::ferror(file.handle()) || !detail::seek_file(file.handle(), 0, SEEK_END)) give_up();
  const std::int64_t file_bytes = detail::place_in_file(file.handle());
  if (file_bytes < 0 || static_cast<std::size_t>(file_bytes) < count) give_up();

  const auto header = detail::parse_idx_header({start, count}, static_cast<std::uint64_t>(file_bytes), path);
  IdxFile result{header.dims, std::vector<std::uint8_t>(header.data_bytes)};
  if (!detail::seek_file(file.handle(), static_cast<std::int64_t>(header.header_bytes), SEEK_SET) ||
      std::fread(result.bytes.data(), 1, header.data_bytes, file.handle()) != header.data_bytes)
    give_up();
  return result;
}

SINTER_NAMESPACE_END
