// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <cstdio>
#include <limits>

#include "sinter/data/cannot_open.hpp"
#include "sinter/data/read_file.hpp"

SINTER_NAMESPACE_BEGIN

SINTER_FUNCTION std::vector<std::byte> read_file(const std::string& path, const std::string& what) {
  const auto give_up = [&] { fail("cannot read " + path + ", expected a regular " + what + "; check the path"); };
  if (detail::is_irregular(path)) give_up();  // opening a FIFO would wait for its writer
  File file(path, "rb");
  if (!file) detail::fail_to_open(path);
  if (!detail::seek_file(file.handle(), 0, SEEK_END)) give_up();
  const std::int64_t size = detail::place_in_file(file.handle());
  // A folder gives the largest number.
  if (size < 0 || size == std::numeric_limits<std::int64_t>::max() || !detail::seek_file(file.handle(), 0, SEEK_SET))
    give_up();
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  if (std::fread(bytes.data(), 1, bytes.size(), file.handle()) != bytes.size() || std::fgetc(file.handle()) != EOF)
    give_up();
  return bytes;
}

SINTER_NAMESPACE_END
