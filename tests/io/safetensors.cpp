// SPDX-License-Identifier: MIT
// labels: processor
#include <doctest/doctest.h>

#include <cstring>
#include <sinter/io/safetensors.hpp>
#include <string>
#include <vector>

#include "support/error_of.hpp"

using namespace sinter::internal;

namespace {

std::vector<std::byte> bytes_of_text(const std::string& text) {
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  return {data, data + text.size()};
}
/// A file of this header, as long as it says unless `length` says otherwise, and `data` bytes 0, 1, ..
std::vector<std::byte> file_of(const std::string& header, std::size_t data, std::uint64_t length) {
  std::string text;
  for (int i = 0; i < 8; ++i) text += static_cast<char>(length >> 8 * i & 255);
  text += header;
  for (std::size_t i = 0; i < data; ++i) text += static_cast<char>(i);
  return bytes_of_text(text);
}
std::vector<std::byte> file_of(const std::string& header, std::size_t data = 0) {
  return file_of(header, data, header.size());
}
std::string refusal(const std::vector<std::byte>& file) {
  return error_of([&] { parse_safetensors(file, "F"); });
}
std::string refusal(const std::string& header, std::size_t data = 0) { return refusal(file_of(header, data)); }

const std::string damaged = "; it is truncated, damaged or not a safetensors file: get it again";

/// A header of one tensor "a".
std::string one(const std::string& type, const std::string& shape, const std::string& offsets) {
  return R"({"a":{"dtype":")" + type + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
}

}  // namespace

TEST_CASE("tensors and metadata, in any order, with blanks and padding, down to single numbers and empty ones") {
  const auto file = file_of(
      " { \"b\" : {\"shape\":[2,1],\"data_offsets\":[4,8],\"dtype\":\"F16\"},\n\t\"__metadata__\":{\"k\":\"v\"},"
      "\"a\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]},"
      "\"empty\":{\"dtype\":\"I64\",\"shape\":[3,0],\"data_offsets\":[8,8]}}   \r\n",
      8);
  CHECK(refusal(file) == "F has a header that does not begin with {" + damaged);  // nothing may be before it
  const auto good = file_of(
      "{ \"b\" : {\"shape\":[2,1],\"data_offsets\":[4,8],\"dtype\":\"F16\"},\n\t\"__metadata__\":{\"k\":\"v\"},"
      "\"a\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]},"
      "\"empty\":{\"dtype\":\"I64\",\"shape\":[3,0],\"data_offsets\":[8,8]}}   \r\n",
      8);
  const TensorFile parsed = parse_safetensors(good);
  REQUIRE(parsed.tensors.size() == 3);
  CHECK(parsed.tensors[0].name == "a");
  CHECK(parsed.tensors[0].type == ElementType::f32);
  CHECK(parsed.tensors[0].shape.empty());
  CHECK(parsed.tensors[0].bytes.size() == 4);
  CHECK(parsed.tensors[1].name == "b");
  CHECK(parsed.tensors[1].type == ElementType::f16);
  CHECK(parsed.tensors[1].shape == std::vector<std::uint64_t>{2, 1});
  CHECK(parsed.tensors[1].bytes[0] == std::byte{4});
  CHECK(parsed.tensors[2].bytes.empty());
  CHECK(parsed.metadata == Metadata{{"k", "v"}});
  CHECK(parse_safetensors(file_of("{}")).tensors.empty());
  for (const auto& facts : element_types)
    CHECK(parse_safetensors(
              file_of(one(std::string(facts.name), "[8]", "[0," + std::to_string(facts.bits) + "]"), facts.bits))
              .tensors[0]
              .bytes.size() == facts.bits);
}

TEST_CASE("what is written is read back, and is laid out as others write it") {
  const float floats[] = {1, 2, 3, 4, 5, 6};
  const double doubles[] = {7};
  const std::uint8_t byte[] = {9};
  const auto view = [](const auto& array) { return std::as_bytes(std::span(array)); };
  const std::vector<NamedTensor> tensors = {{"small", ElementType::u8, {1}, view(byte)},
                                            {"z", ElementType::f32, {2, 3}, view(floats)},
                                            {"a\"\\\n\x01\xc3\xa4", ElementType::f32, {6}, view(floats)},
                                            {"wide", ElementType::f64, {}, view(doubles)},
                                            {"none", ElementType::f32, {0, 5}, {}}};
  const auto file = safetensors_bytes(tensors, {{"key", "text with \"quotes\""}});
  const TensorFile parsed = parse_safetensors(file);
  std::vector<std::string> names;
  for (const auto& tensor : parsed.tensors) names.push_back(tensor.name);
  CHECK(names == std::vector<std::string>{"wide", "a\"\\\n\x01\xc3\xa4", "none", "z", "small"});
  CHECK(parsed.metadata == Metadata{{"key", "text with \"quotes\""}});
  CHECK(std::memcmp(parsed.tensors[3].bytes.data(), floats, sizeof floats) == 0);
  CHECK(safetensors_bytes(parsed.tensors, parsed.metadata) == file);

  const auto small = safetensors_bytes({{"a", ElementType::u8, {1}, view(byte)}});
  std::string header = R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})";
  while (header.size() % 8 != 0) header += ' ';  // numbers begin at a multiple of 8
  auto wanted = file_of(header);
  wanted.push_back(std::byte{9});
  CHECK(small == wanted);
}

TEST_CASE("escapes of JSON") {
  const auto name_of_one = [](const std::string& json) {
    return parse_safetensors(file_of("{\"" + json + R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})"))
        .tensors[0]
        .name;
  };
  CHECK(name_of_one(R"(\"\\\/\b\f\n\r\t)") == "\"\\/\b\f\n\r\t");
  CHECK(name_of_one(R"(\u0041\u00e4\u20ac\ud83d\ude00)") == "A\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
  CHECK(name_of_one(R"(\u00E4)") == "\xc3\xa4");
  const auto refused = [](const std::string& json) { return refusal("{\"" + json + "\":1}"); };
  CHECK(has(refused(R"(\x41)"), "an escape that JSON knows was expected"));
  CHECK(has(refused(R"(\ud83d)"), "the second half of a surrogate pair"));
  CHECK(has(refused(R"(\ud83dA)"), "the second half of a surrogate pair"));
  CHECK(has(refused(R"(\ude00)"), "the first half of a surrogate pair"));
  CHECK(has(refused(R"(\u12g4)"), "a hexadecimal digit"));
  CHECK(has(refused("a\nb"), "no control character"));
}

TEST_CASE("a header that is too long, no text, or no JSON of that form") {
  CHECK(refusal(bytes_of_text("1234567")) == "F holds 7 bytes, expected a safetensors file of 8 or more" + damaged);
  CHECK(refusal(std::vector<std::byte>{}) == "F holds 0 bytes, expected a safetensors file of 8 or more" + damaged);
  CHECK(refusal(file_of("{}", 0, 3)) == "F announces a header of 3 bytes, and 2 follow" + damaged);
  CHECK(has(refusal(file_of("{}", 0, ~std::uint64_t{0})), "announces a header of 18446744073709551615 bytes"));
  CHECK(has(refusal(bytes_of_text("<html><body>not found")), "announces a header of"));
  CHECK(has(refusal(std::string("{}", 0)), "does not begin with {"));
  CHECK(has(refusal("[]"), "does not begin with {"));
  CHECK(has(refusal("{\"\xff\":1}"), "not UTF-8 text"));
  CHECK(has(refusal("{\"\xc0\x80\":1}"), "not UTF-8 text"));          // a longer form than needed
  CHECK(has(refusal("{\"\xed\xa0\x80\":1}"), "not UTF-8 text"));      // a surrogate
  CHECK(has(refusal("{\"\xf4\x90\x80\x80\":1}"), "not UTF-8 text"));  // above 10FFFF
  CHECK(has(refusal("{\"\xe2\x82"), "not UTF-8 text"));               // cut off
  const std::string form = "the header of F is not JSON of the expected form: ";
  CHECK(refusal("{") == form + "\" was expected at byte 1; it is damaged, or a file of another kind");
  CHECK(has(refusal("{}x"), "the end was expected at byte 2"));
  CHECK(has(refusal("{\"a"), "the end of a string"));
  CHECK(has(refusal("{\"a\":{}}"), "dtype, shape and data_offsets in \"a\""));
  CHECK(has(refusal(R"({"a":{"dtype":"F32","dtype":"F32"}})"), "each key once in \"a\""));
  CHECK(has(refusal(R"({"a":{"more":1}})"), "dtype, shape or data_offsets in \"a\""));
  CHECK(has(refusal(R"({"a":[)"), "{ was expected"));
  CHECK(has(refusal(R"({"__metadata__":{"a":1}})"), "\" was expected"));
  CHECK(has(refusal(R"({"__metadata__":{},"__metadata__":{}})"), "__metadata__ once"));
  for (const char* number : {"-1", "1.0", "1e3", "01", "18446744073709551616", "null", "\"1\"", ""})
    CHECK(has(refusal(one("U8", std::string("[") + number + (*number ? "]" : ",]"), "[0,0]")), form));
  CHECK(has(refusal(one("U8", "[0]", "[0]")), "two data_offsets"));
  CHECK(has(refusal(one("U8", "[0]", "[0,0,0]")), "two data_offsets"));
  CHECK(has(refusal(std::string(100'000, '[')), "does not begin with {"));
  CHECK(has(refusal("{\"a\":" + std::string(100'000, '{')), "\" was expected"));
}

TEST_CASE("tensors that overlap, leave gaps, or are not as long as they say; nothing is asked of memory before") {
  CHECK(refusal(one("F99", "[1]", "[0,4]"), 4) ==
        "F holds \"a\" as numbers of the unknown type \"F99\"; convert it to F32");
  CHECK(refusal(one("F32", "[1]", "[0,3]"), 3) == "F: \"a\" is F32 of [1], and has 3 bytes" + damaged);
  CHECK(has(refusal(one("F32", "[2]", "[0,4]"), 4), "is F32 of [2], and has 4 bytes"));
  CHECK(has(refusal(one("F4", "[3]", "[0,1]"), 1), "is F4 of [3], and has 1 bytes"));  // one and a half
  CHECK(has(refusal(one("F32", "[1]", "[4,8]"), 8), "lies at bytes 4 to 8, expected to begin at 0"));
  CHECK(has(refusal(one("F32", "[1]", "[4,0]"), 8), "lies at bytes 4 to 0"));
  CHECK(has(refusal(one("F32", "[1]", "[0,4]"), 3), "ends at byte 4 of the data, of which there are 3"));
  CHECK(refusal(one("F32", "[1]", "[0,4]"), 5) == "F has 1 bytes after its last tensor" + damaged);
  CHECK(has(refusal(one("F32", "[4611686018427387904,4]", "[0,0]")), "and has 0 bytes"));  // 2^62 x 4 x 4: 0 in 64 bits
  CHECK(has(refusal(one("F32", "[4294967296]", "[0,17179869184]"), 4), "ends at byte 17179869184"));
  const auto two = [](const std::string& b) {
    return refusal(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)" + b + "}", 4);
  };
  CHECK(two(R"("b":{"dtype":"U8","shape":[2],"data_offsets":[2,4]})") == "(no error)");
  CHECK(has(two(R"("b":{"dtype":"U8","shape":[3],"data_offsets":[1,4]})"), "expected to begin at 2"));
  CHECK(has(two(R"("b":{"dtype":"U8","shape":[2],"data_offsets":[0,2]})"), "expected to begin at 2"));
  CHECK(has(two(R"("b":{"dtype":"U8","shape":[1],"data_offsets":[3,4]})"), "expected to begin at 2"));
  CHECK(has(two(R"("a":{"dtype":"U8","shape":[2],"data_offsets":[2,4]})"), "F has two entries named \"a\""));
  CHECK(has(refusal(R"({"__metadata__":{"k":"1","k":"2"}})"), "two entries named \"k\""));
}

TEST_CASE("every prefix of a file and every file with one byte more is refused") {
  const float floats[] = {1, 2};
  const auto whole = safetensors_bytes({{"a", ElementType::f32, {2}, std::as_bytes(std::span(floats))}}, {{"k", "v"}});
  for (std::size_t size = 0; size < whole.size(); ++size)
    CHECK(refusal(std::vector<std::byte>(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size))) !=
          "(no error)");
  auto longer = whole;
  longer.push_back(std::byte{0});
  CHECK(has(refusal(longer), "after its last tensor"));
}

TEST_CASE("what cannot be written is refused") {
  const float floats[] = {1, 2};
  const auto bytes = std::as_bytes(std::span(floats));
  const auto refused = [&](std::vector<NamedTensor> tensors, const Metadata& metadata = {}) {
    return error_of([&] { safetensors_bytes(tensors, metadata); });
  };
  CHECK(
      refused({{"a", ElementType::f32, {3}, bytes}}) ==
      "the tensor \"a\", F32 of [3] with 8 bytes, cannot be written; give a shape for exactly these bytes, and another "
      "name than __metadata__");
  CHECK(has(refused({{"__metadata__", ElementType::f32, {2}, bytes}}), "another name than __metadata__"));
  CHECK(has(refused({{"a", ElementType::f32, {2}, bytes}, {"a", ElementType::f32, {2}, bytes}}), "two entries"));
  CHECK(has(refused({}, {{"k", "1"}, {"k", "2"}}), "the metadata has two entries named \"k\""));
  CHECK(has(refused({}, {{"k", "\xff"}}), "is not UTF-8; encode it as UTF-8"));
  CHECK(has(refused({{"\xff", ElementType::f32, {2}, bytes}}), "is not UTF-8; encode it as UTF-8"));
}
