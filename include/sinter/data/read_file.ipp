// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>

#if !defined(_WIN32)
#include <sys/stat.h>
#endif

#include "sinter/data/cannot_open.hpp"
#include "sinter/data/read_file.hpp"

SINTER_NAMESPACE_BEGIN

SINTER_FUNCTION std::vector<std::byte> read_file(const std::string& path, const std::string& what) {
  const auto give_up = [&] { fail("cannot read " + path + ", expected a regular " + what + "; check the path"); };
#if !defined(_WIN32)
  struct stat status;  // opening a FIFO would wait for its writer
  if (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) give_up();
#endif
  File file(path, "rb");
  if (!file) detail::fail_to_open(path);
  if (std::fseek(file.handle(), 0, SEEK_END) != 0) give_up();
  const long size = std::ftell(file.handle());
  // A folder gives the largest number.
  if (size < 0 || size == LONG_MAX || std::fseek(file.handle(), 0, SEEK_SET) != 0) give_up();
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  if (std::fread(bytes.data(), 1, bytes.size(), file.handle()) != bytes.size() || std::fgetc(file.handle()) != EOF)
    give_up();
  return bytes;
}

SINTER_NAMESPACE_END
