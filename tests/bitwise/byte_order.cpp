// SPDX-License-Identifier: MIT
// labels: slow optimised unsanitized
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "bitwise/built.hpp"
#include "support/sanitized.hpp"

// Files of big-endian s390x, in QEMU, and of little-endian x86-64: each reads the other's, and what is computed exactly
// gives the same bytes. SINTER_FIXTURES is where the program is found from.
using namespace bitwise;
namespace fs = std::filesystem;

namespace {

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

TEST_CASE("files of s390x and x86-64") {
#if !defined(__x86_64__)
  skip("other processors are compared with x86-64");
#endif
  if (sinter_test::sanitized) skip("processors are compared without sanitizers");
  const std::string gcc = "s390x-linux-gnu-g++", emulator = "qemu-s390x -L /usr/s390x-linux-gnu";
  if (!exists(gcc) || !exists(emulator)) skip("no cross compiler for s390x, or no QEMU: ./setup --platforms");
  const Folder folder("byte_order");
  const std::string flags = "-O1 -Wall -Wextra -Wconversion -Werror";
  const struct {
    fs::path files;
    std::string run;
  } little{folder.path / "little", program(folder, "byte_order", "g++", flags, "little_endian")},
      big{folder.path / "big", emulator + " " + program(folder, "byte_order", gcc, flags, "big_endian")};
  for (const auto* one : {&little, &big}) {
    fs::create_directory(one->files);
    REQUIRE(std::system((one->run + " write " + one->files.string()).c_str()) == 0);
  }
  for (const auto* reader : {&little, &big})
    for (const auto* writer : {&little, &big}) {
      const std::string order = reader == writer ? " same" : " other";
      CAPTURE(reader->run);
      CAPTURE(order);
      CHECK(std::system((reader->run + " read " + writer->files.string() + order).c_str()) == 0);
    }
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(little.files)) {
    const std::string name = entry.path().filename().string();
    CAPTURE(name);
    REQUIRE(fs::exists(big.files / name));
    ++files;
    // Packed weights are used in place; a fit's losses are not exact.
    if (name == "floats.packed" || name == "fit.checkpoint") continue;
    CHECK(bytes_of(entry.path()) == bytes_of(big.files / name));
  }
  CHECK(files == 11);
  platform("byte_order",
           "s390x Linux, big-endian: files | g++ @s390x-linux-gnu-g++@ | QEMU @qemu-s390x@ | each reads the other's "
           "files; packed weights are refused");
}
