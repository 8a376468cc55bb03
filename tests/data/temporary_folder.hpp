// SPDX-License-Identifier: MIT
#pragma once

#include <stdlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

/// A new empty folder, removed by the destructor.
struct TemporaryFolder {
  std::string path = (std::filesystem::temp_directory_path() / "sinter_XXXXXX").string();

  TemporaryFolder() {
    if (!mkdtemp(path.data())) throw std::filesystem::filesystem_error("mkdtemp " + path, std::error_code{});
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() { std::filesystem::remove_all(path); }

  std::string operator/(const std::string& name) const { return path + "/" + name; }
};

template <class Bytes>
void write_bytes(const std::string& path, const Bytes& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

inline std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The bytes of an IDX file of the given header, with `count` bytes of data: 0, 1, .. modulo `modulus`.
inline std::vector<std::uint8_t> idx_bytes(const std::vector<std::uint32_t>& dims, std::size_t count,
                                           unsigned modulus = 256, std::uint8_t type = 8) {
  std::vector<std::uint8_t> bytes{0, 0, type, static_cast<std::uint8_t>(dims.size())};
  for (const auto size : dims)
    for (const int shift : {24, 16, 8, 0}) bytes.push_back(static_cast<std::uint8_t>(size >> shift));
  for (std::size_t i = 0; i < count; ++i) bytes.push_back(static_cast<std::uint8_t>(i % modulus));
  return bytes;
}
