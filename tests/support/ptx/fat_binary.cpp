// SPDX-License-Identifier: MIT
#include "support/ptx/fat_binary.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "support/ptx/fault.hpp"

namespace sinter_test::ptx {
namespace {

// As fatbinary_section.h of the toolkit has it, and what programs that read such binaries have found.
struct Registered {
  std::uint32_t magic, version;
  const std::byte* data;
  const void* file;
};
struct Header {
  std::uint32_t magic;
  std::uint16_t version, header_bytes;
  std::uint64_t bytes;  // after the header
};
struct Part {
  std::uint16_t kind, version;
  std::uint32_t header_bytes;
  std::uint64_t bytes;  // after the header
};
constexpr std::uint32_t registered_magic = 0x466243b1, header_magic = 0xba55ed50;
constexpr std::uint16_t ptx_kind = 1;

template <class T>
T read(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

}  // namespace

std::string ptx_of(const void* registered) {
  const auto wrapper = read<Registered>(static_cast<const std::byte*>(registered));
  if (wrapper.magic != registered_magic) throw Fault("what was registered is no fat binary of nvcc");
  const auto header = read<Header>(wrapper.data);
  if (header.magic != header_magic) throw Fault("a fat binary of a format that is not known");
  const std::byte* at = wrapper.data + header.header_bytes;
  const std::byte* const end = at + header.bytes;
  while (at + sizeof(Part) <= end) {
    const auto part = read<Part>(at);
    if (part.kind == ptx_kind) {
      const char* text = reinterpret_cast<const char*>(at + part.header_bytes);
      std::string ptx(text, strnlen(text, part.bytes));
      if (ptx.find(".version") == std::string::npos)
        throw Fault("the PTX of the fat binary is compressed: compile with nvcc --no-compress");
      return ptx;
    }
    at += part.header_bytes + part.bytes;
  }
  throw Fault("the fat binary has no PTX: compile with nvcc -arch=compute_90 -code=compute_90 --no-compress");
}

}  // namespace sinter_test::ptx
