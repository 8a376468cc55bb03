// SPDX-License-Identifier: MIT
#include "sinter/io/inflate.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using sinter::internal::detail::Inflate;

namespace {

using Bytes = std::vector<std::byte>;

Bytes bytes_of(const std::string& hex) {
  Bytes all;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    all.push_back(static_cast<std::byte>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return all;
}
std::string mixed(int length) {
  std::string text;
  std::uint32_t state = 1;
  for (int i = 0; i < length; ++i) {
    state = state * 1103515245u + 12345u;
    text += static_cast<char>('a' + (state >> 16) % 5 * ((state >> 20) % 3));
  }
  return text;
}
/// What a text was compressed to, by zlib.
struct Case {
  const char* name;
  std::string text;
  Bytes packed;
};
const std::vector<Case> cases{
    {"nothing", "", bytes_of("0300")},
    {"by the fixed code", "abcabcabcabcabc", bytes_of("4b4c4a4e444200")},
    {"stored", "stored", bytes_of("010600f9ff73746f726564")},
    {"of a thousand a", std::string(1000, 'a'), bytes_of("4b4c1c05a360140c770000")},
    {"by codes of its own", mixed(500),
     bytes_of("2d51090ec030087aab0562fcff0706ba666bcc4439d6afa9daa3ea2ac0c52ba8c01abfaee6e93d2e0641b9cfc0"
              "c5975123941b01b4217e26e5bf7787aa1e46b9dbc3cc7eb06fe2eec136ea34ec79db31fb9cbe7f210c6d983b68"
              "2faab7548adad0bb0a956240cf6d8bd3d053ba0d947b6c59453f702a1e6d69b400d3c6ad491f8f543627249e3a"
              "9788ddb80e5974ac6e0f76afe13391f4d4f9a85b38c4f2302984dd21d94945a9db229309c718a4c72be2cf8223"
              "5f5969851dd1fbe7a2f1229eb1596f9a76609a0d6273d2a93ef5aa0f")},
    {"by a code without distances", mixed(90),
     bytes_of("05c1810d00300803a05bb13666ff3f30b8b92d504742472aeb65a5de746641d4752cd59d2255d2c009f1f8")},
    {"in two blocks with an empty one", mixed(200),
     bytes_of("2c8c010a00410802dfaa26d1ff3f70ba5c940c34b5dc315e190b480142860697091d4dce73542bfba9ee614f63"
              "b8a90a1b257dc5ff2f3e000000ffff258cc10d00300802670524c6fd17285a1f17e2110403a0c6cb46a16448d5"
              "79e3108e4e244bf8c7333467836f667daa2dfada1902db0f")},
};

bool inflate(const Bytes& packed, std::size_t size, std::string& text) {
  Bytes to(size);
  const bool good = Inflate(packed, to).run();
  text.assign(reinterpret_cast<const char*>(to.data()), size);
  return good;
}

}  // namespace

TEST_CASE("what zlib compressed is read again") {
  for (const auto& [name, text, packed] : cases) {
    CAPTURE(name);
    std::string read;
    CHECK(inflate(packed, text.size(), read));
    CHECK(read == text);
  }
}

TEST_CASE("damaged, cut off, too long, of another size") {
  for (const auto& [name, text, packed] : cases) {
    CAPTURE(name);
    std::string read;
    for (std::size_t size = 0; size < packed.size(); ++size)
      CHECK_FALSE(
          inflate(Bytes(packed.begin(), packed.begin() + static_cast<std::ptrdiff_t>(size)), text.size(), read));
    Bytes longer = packed;
    longer.push_back(std::byte{0});
    CHECK_FALSE(inflate(longer, text.size(), read));
    CHECK_FALSE(inflate(packed, text.size() + 1, read));
    if (!text.empty()) CHECK_FALSE(inflate(packed, text.size() - 1, read));
    std::size_t same = 0;
    for (std::size_t bit = 0; bit < 8 * packed.size(); ++bit) {
      Bytes changed = packed;
      changed[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
      same += inflate(changed, text.size(), read) && read == text ? 1u : 0u;
    }
    CHECK(same <= 40);  // bits that nothing depends on, at the end of a block or in an unused code
  }
}

TEST_CASE("codes that no one can have written") {
  std::string read;
  for (const char* const packed : {"07", "0600", "ff", "05e0ff", "0403", "01ffff0000", "010100fefe61", "4b4c04ff00"})
    CHECK_FALSE(inflate(bytes_of(packed), 8, read));
}
