// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <bit>
#include <cstring>
#include <limits>
#include <sinter/io/npy.hpp>
#include <string>
#include <vector>

#include "data/temporary_folder.hpp"
#include "support/error_of.hpp"

using namespace sinter::internal;

namespace {

/// A .npy file of that header, as NumPy pads it, and `data` bytes 0, 1, ..
std::vector<std::byte> file_of(std::string header, std::size_t data, int version = 1) {
  const std::size_t start = version == 1 ? 10 : 12;
  while ((start + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string text = "\x93NUMPY";
  text += static_cast<char>(version);
  text += '\0';
  for (std::size_t i = 0; i < start - 8; ++i) text += static_cast<char>(header.size() >> 8 * i & 255);
  text += header;
  for (std::size_t i = 0; i < data; ++i) text += static_cast<char>(i);
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  return {bytes, bytes + text.size()};
}
std::vector<std::byte> file_of(const std::string& type, const std::string& order, const std::string& shape,
                               std::size_t data) {
  return file_of("{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }", data);
}
std::string refusal(const std::vector<std::byte>& file) {
  return error_of([&] { parse_npy(file, "F"); });
}

}  // namespace

TEST_CASE("arrays of every type, of every version, in both orders") {
  const auto bytes = parse_npy(file_of("|u1", "False", "(2, 3)", 6));
  CHECK(bytes.type == ElementType::u8);
  CHECK(bytes.shape == std::vector<std::uint64_t>{2, 3});
  CHECK(bytes.values<int>() == std::vector<int>{0, 1, 2, 3, 4, 5});
  CHECK(bytes.values<float>() == std::vector<float>{0, 1, 2, 3, 4, 5});
  CHECK(parse_npy(file_of("|u1", "True", "(2, 3)", 6)).values<int>() == std::vector<int>{0, 2, 4, 1, 3, 5});
  CHECK(parse_npy(file_of("|u1", "True", "(2, 3, 2)", 12)).values<int>() ==
        std::vector<int>{0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11});
  CHECK(parse_npy(file_of("<i2", "False", "(2,)", 4)).values<int>() == std::vector<int>{0x100, 0x302});
  CHECK(parse_npy(file_of(">i2", "False", "(2,)", 4)).values<int>() == std::vector<int>{0x001, 0x203});
  CHECK(parse_npy(file_of(">u4", "True", "(2, 1)", 8)).values<int>() == std::vector<int>{0x00010203, 0x04050607});
  CHECK(parse_npy(file_of(">f8", "False", "()", 8)).values<double>()[0] ==
        std::bit_cast<double>(std::uint64_t{0x0001020304050607}));
  CHECK(parse_npy(file_of("<i2", "True", "(1, 2)", 4)).values<int>() == std::vector<int>{0x100, 0x302});
  CHECK(parse_npy(file_of("|b1", "False", "(2,)", 2)).values<std::uint8_t>().size() == 2);
  CHECK(parse_npy(file_of("<f8", "False", "()", 8)).shape.empty());
  CHECK(parse_npy(file_of("<f4", "False", "(0, 7)", 0)).values<float>().empty());
  CHECK(parse_npy(file_of("<f4", "True", "(0, 7)", 0)).bytes.empty());
  for (const int version : {1, 2, 3})
    CHECK(parse_npy(file_of("{\"shape\":(3,),\"fortran_order\":False,\"descr\":\"|i1\"}", 3, version)).bytes.size() ==
          3);
}

TEST_CASE("sizes as Python 2 wrote them") {
  CHECK(parse_npy(file_of("<f4", "False", "(2L, 3L)", 24)).shape == std::vector<std::uint64_t>{2, 3});
  CHECK(parse_npy(file_of("<f4", "False", "(2L,)", 8)).shape == std::vector<std::uint64_t>{2});
  CHECK(parse_npy(file_of("<f4", "True", "(2L, 3, 1L)", 24)).shape == std::vector<std::uint64_t>{2, 3, 1});
  for (const char* const shape : {"(L,)", "(2LL,)", "(2l,)", "(L2,)", "(2 L,)"})
    CHECK(has(refusal(file_of("<f4", "False", shape, 8)), "was expected; it is damaged or not an npy file"));
}

TEST_CASE("what is written is read back, and begins as NumPy writes it") {
  const TemporaryFolder folder;
  Tensor<float, Shape<2, 1, 3>> x(2);
  for (std::size_t i = 0; i < 12; ++i) x.values()[i] = static_cast<float>(i) / 3;
  write_npy(folder / "x.npy", x);
  const NpyArray read = read_npy(folder / "x.npy");
  CHECK(read.shape == std::vector<std::uint64_t>{2, 2, 1, 3});
  const auto rows = read.rows<float, Shape<2, 1, 3>>();
  CHECK(std::equal(rows.values().begin(), rows.values().end(), x.values().begin(), x.values().end()));
  write_npy(folder / "series.npy", Tensor<float, Shape<2, 3>>(5));
  CHECK(read_npy(folder / "series.npy").shape == std::vector<std::uint64_t>{5, 2, 3});
  CHECK(read_npy(folder / "series.npy").rows<float, Shape<2, 3>>().rows() == 5);
  const std::string text = read_text(folder / "x.npy");
  CHECK(text.find("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2, 1, 3), }   ") == 10);
  CHECK((text.size() - 48) % 64 == 0);
  CHECK(text[text.size() - 49] == '\n');
  const std::vector<std::int64_t> labels{3, -1};
  const auto bytes = detail::npy_file(named("labels", std::span<const std::int64_t>(labels)));
  CHECK(parse_npy(bytes).values<int>() == std::vector<int>{3, -1});
  CHECK(
      has(error_of([&] { detail::npy_file({"", ElementType::bf16, {1}, std::as_bytes(std::span(labels)).first(2)}); }),
          "NumPy has no numbers of BF16; convert them to F32"));
  CHECK(has(error_of([&] {
              named("x", std::span<const std::int64_t>(labels), {3}),
                  detail::npy_file(named("x", std::span<const std::int64_t>(labels), {3}));
            }),
            "an array of [3] was given 16 bytes"));
}

TEST_CASE("numbers that do not fit, and rows of another shape") {
  const auto refused = [](const std::vector<std::int64_t>& values, auto as) {
    const NpyArray array = parse_npy(detail::npy_file(named("", std::span(values))));
    return error_of([&] { array.values<decltype(as)>(); }) != "(no error)";
  };
  CHECK(refused({255}, std::uint8_t{}) == false);
  CHECK(refused({256}, std::uint8_t{}));
  CHECK(refused({-1}, std::uint8_t{}));
  CHECK(refused({-128, 127}, std::int8_t{}) == false);
  CHECK(refused({-129}, std::int8_t{}));
  CHECK(refused({-1}, std::uint64_t{}));
  CHECK(refused({std::numeric_limits<std::int64_t>::min()}, std::int64_t{}) == false);
  CHECK(refused({std::int64_t{1} << 40}, std::int32_t{}));
  const std::vector<std::uint64_t> large{~std::uint64_t{0}};
  const auto array = parse_npy(detail::npy_file(named("", std::span(large))));
  CHECK(array.values<std::uint64_t>() == large);
  CHECK(error_of([&] { array.values<std::int64_t>(); }) ==
        "an array of U64 of [1] was asked for its values as I64, and the one at [0] is 18446744073709551615, expected "
        "whole "
        "numbers from -9223372036854775808 to 9223372036854775807; ask for a type that holds it, or correct it");
  const auto fractions = parse_npy(file_of("<f4", "False", "(2, 2)", 16));
  CHECK(has(error_of([&] { fractions.values<int>(); }), "an array of F32 of [2, 2] was asked for its values as I32"));
  CHECK(fractions.rows<float, Shape<2>>().rows() == 2);
  CHECK(error_of([&] { fractions.rows<float, Shape<3>>(); }) ==
        "an array of [2, 2] was asked for rows of [3]; reshape it to [rows] and these");
  CHECK(has(error_of([&] { parse_npy(file_of("<f8", "False", "()", 8)).rows<float, Shape<1>>(); }), "an array of []"));
}

TEST_CASE("whole numbers that are stored as floats are integers, too") {
  const std::vector<double> whole{0, 1, -2, 2147483647, -0.};
  const auto stored = [](const auto& values, std::vector<std::uint64_t> shape = {}) {
    return parse_npy(detail::npy_file(named("", std::span(values), shape)));
  };
  CHECK(stored(whole).values<int>() == std::vector<int>{0, 1, -2, 2147483647, 0});
  CHECK(stored(std::vector<float>{3, 255}).values<std::uint8_t>() == std::vector<std::uint8_t>{3, 255});
  CHECK(stored(std::vector<double>{9223372036854774784.}).values<std::int64_t>()[0] == 9223372036854774784);
  CHECK(parse_npy(file_of("<f8", "False", "(0,)", 0)).values<int>().empty());
  CHECK(parse_npy(file_of("<f2", "False", "(0, 3)", 0)).values<std::uint8_t>().empty());
  const std::vector<double> fraction{0, 1, 2, 3, 4.5, 5};
  CHECK(
      error_of([&] { stored(fraction, {2, 3}).values<int>(); }) ==
      "an array of F64 of [2, 3] was asked for its values as I32, and the one at [1, 1] is 4.5, expected whole numbers "
      "from -2147483648 to 2147483647; ask for a type that holds it, or correct it");
  for (const double value : {2147483648., -2147483649., 1e300, -1e300, std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()})
    CHECK(has(error_of([&] { stored(std::vector<double>{7, value}).values<int>(); }), "and the one at [1] is "));
  CHECK(has(error_of([&] { stored(std::vector<float>{-1}).values<std::uint8_t>(); }),
            "is -1, expected whole numbers from 0"));
  CHECK(has(error_of([&] { stored(std::vector<double>{1e300}).values<float>(); }),
            "is 1e+300, expected numbers of at most F32"));
}

TEST_CASE("what is no array of numbers, or not as long as it says") {
  CHECK(refusal({}) == "F does not begin as a npy file does; write it by numpy.save");
  CHECK(has(refusal(std::vector<std::byte>(20)), "does not begin as a npy file does"));
  CHECK(has(refusal(file_of("|O", "False", "(1,)", 8)), "holds objects of Python's, expected plain numbers"));
  CHECK(has(refusal(file_of("<c8", "False", "(1,)", 8)), "holds an array of '<c8', expected plain numbers"));
  CHECK(has(refusal(file_of("|f4", "False", "(1,)", 4)), "holds an array of '|f4'"));
  CHECK(
      has(refusal(file_of("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", 4)), "holds records"));
  CHECK(has(refusal(file_of("{}", 0, 4)), "is of version 4 of the npy format, expected 1, 2 or 3"));
  CHECK(refusal(file_of("<f4", "False", "(2,)", 7)) ==
        "F announces F32 of [2], and 7 bytes follow; it is truncated or damaged: write it again");
  CHECK(has(refusal(file_of("<f4", "False", "(2,)", 9)), "and 9 bytes follow"));
  CHECK(has(refusal(file_of("<f4", "False", "(4294967296, 1073741824)", 0)), "and 0 bytes follow"));  // 2^64 bytes
  auto cut = file_of("<f4", "False", "(2,)", 8);
  for (std::size_t size = 0; size < cut.size(); ++size)
    CHECK(refusal(std::vector<std::byte>(cut.begin(), cut.begin() + static_cast<std::ptrdiff_t>(size))) !=
          "(no error)");
  for (const char* header :
       {"", "{", "{}", "{'descr': '<f4', 'shape': (2,), }", "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': 2, }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-2,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2 2), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), } x",
        "{'descr': '<f4', 'descr': '<f4', 'shape': (2,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1234567890123456789,), }", "{'descr: '<f4"}) {
    CAPTURE(header);
    CHECK(has(refusal(file_of(header, 8)), "was expected; it is damaged or not an npy file: write it again"));
  }
  std::string axes = "(";
  for (int i = 0; i < 64; ++i) axes += "1,";
  CHECK(refusal(file_of("<f4", "True", axes + ")", 4)) == "(no error)");
  CHECK(has(refusal(file_of("<f4", "True", axes + "1,)", 4)), "64 sizes at most was expected"));
}
