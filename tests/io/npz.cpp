// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cstring>
#include <sinter/io/npz.hpp>
#include <sinter/io/zip.hpp>
#include <string>
#include <vector>

#include "data/temporary_folder.hpp"
#include "support/error_of.hpp"

using namespace sinter::internal;

namespace {

const std::vector<float> weight{1, 2, 3, 4, 5, 6};
const std::vector<std::uint8_t> label{7, 8};
std::vector<std::byte> two_arrays() {
  return npz_bytes({named("a/weight", std::span(weight), {2, 3}), named("label", std::span(label))});
}
std::string refusal(const std::vector<std::byte>& file) {
  return error_of([&] { parse_npz(file, "F"); });
}
/// The place of a text in a file.
std::size_t find(const std::vector<std::byte>& file, const std::string& text, std::size_t from = 0) {
  const std::string all(reinterpret_cast<const char*>(file.data()), file.size());
  const std::size_t at = all.find(text, from);
  REQUIRE(at != all.npos);
  return at;
}
const std::string central = "PK\x01\x02", end = "PK\x05\x06";

}  // namespace

TEST_CASE("arrays by name, written and read") {
  const TemporaryFolder folder;
  write_npz(folder / "x.npz", {named("a/weight", std::span(weight), {2, 3}), named("label", std::span(label))});
  const NpzArrays read = read_npz(folder / "x.npz");
  REQUIRE(read.arrays.size() == 2);
  CHECK(read["a/weight"].shape == std::vector<std::uint64_t>{2, 3});
  CHECK(read["a/weight"].values<float>() == weight);
  CHECK(read["label"].values<std::uint8_t>() == label);
  CHECK(error_of([&] { read["bias"]; }) == "there is no array \"bias\"; this file has a/weight, label");
  CHECK(parse_npz(npz_bytes({})).arrays.empty());
  CHECK(has(error_of([&] { npz_bytes({named("a", std::span(weight)), named("a", std::span(label))}); }),
            "the list of arrays has two entries named \"a\""));
}

TEST_CASE("the checksum of zip files") {
  const std::string digits = "123456789";
  CHECK(detail::crc32(std::as_bytes(std::span(digits.data(), digits.size()))) == 0xcbf43926u);
}

TEST_CASE("members that are no arrays of plain numbers are left out, and asking for one says why") {
  const auto npy = [](const std::string& type) {  // of one number
    std::string header = "{'descr': " + type + ", 'fortran_order': False, 'shape': (), }";
    header.resize(117, ' ');
    return std::string("\x93NUMPY\x01\0\x76\0", 10) + header + "\n" + std::string(8, '\1');
  };
  const std::string contents[] = {npy("'<i8'"), npy("'|O'"), npy("[('a', '<f4'), ('b', '<f4')]"),
                                  npy("'<U2'"), "words",     ""};
  const std::string names[] = {"right.npy", "none.npy", "records.npy", "text.npy", "note.txt", "folder/"};
  std::vector<detail::ZipEntry> entries;
  for (std::size_t i = 0; i < 6; ++i) entries.push_back({names[i], std::as_bytes(std::span(contents[i]))});
  const NpzArrays read = parse_npz(detail::zip_bytes(entries), "F");
  REQUIRE(read.arrays.size() == 1);
  CHECK(read["right"].values<std::int64_t>() == std::vector<std::int64_t>{0x0101010101010101});
  CHECK(read.others.size() == 5);
  const auto asked = [&](const char* name) { return error_of([&] { read[name]; }); };
  CHECK(asked("none") == "none.npy in F holds objects of Python's, expected plain numbers; convert them");
  CHECK(asked("records") == "records.npy in F holds records, expected plain numbers; write each field by itself");
  CHECK(has(asked("text"), "text.npy in F holds an array of '<U2', expected plain numbers"));
  CHECK(asked("note.txt") == "note.txt in F is no array; ask for another name");
  CHECK(asked("folder/") == "folder/ in F is no array; ask for another name");
  CHECK(asked("right.npy") == "there is no array \"right.npy\"; this file has right");

  // One that is damaged, by its name or by how it begins, is refused as before.
  for (const auto& [name, content] :
       {std::pair<std::string, std::string>{"a.npy", "words"}, {"a", "\x93NUMPY words"}}) {
    const auto file = detail::zip_bytes({{name, std::as_bytes(std::span(content))}});
    CHECK(error_of([&] { parse_npz(file, "F"); }) != "(no error)");
  }
}

TEST_CASE("compressed, encrypted, damaged, cut off") {
  const auto whole = two_arrays();
  CHECK(refusal(whole) == "(no error)");
  const std::string damaged = "F is not a complete zip file; it is truncated or damaged: write it again";
  CHECK(refusal({}) == damaged);
  for (std::size_t size = 0; size < whole.size(); ++size)
    CHECK(refusal(std::vector<std::byte>(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size))) == damaged);
  const auto changed = [&](std::size_t at, int value) {
    auto file = whole;
    file[at] = static_cast<std::byte>(value);
    return refusal(file);
  };
  const std::size_t first = find(whole, central), last = find(whole, end);
  CHECK(changed(first + 10, 8) == "F holds a/weight.npy, which cannot be unpacked; it is damaged: write it again");
  CHECK(
      changed(first + 10, 12) ==
      "F holds a/weight.npy compressed by method 12 of zip files, expected deflate or none; write it by numpy.savez or "
      "savez_compressed");
  CHECK(has(changed(first + 8, 1), "F holds a/weight.npy encrypted"));
  CHECK(changed(first, 0) == damaged);
  CHECK(changed(0, 0) == damaged);
  CHECK(changed(first + 20, 1) == damaged);     // packed and not of the same size
  CHECK(changed(first + 42, 0xff) == damaged);  // outside of the file
  CHECK(changed(last + 16, 0xff) == damaged);   // the directory is elsewhere
  CHECK(changed(last + 10, 3) == damaged);      // more entries than there are
  CHECK(has(changed(find(whole, "NUMPY") + 130, 0x55), "whose checksum is wrong; it is damaged"));
  auto same_name = whole;
  for (const std::size_t at : {find(whole, "label.npy"), find(whole, "label.npy", first)})
    std::memcpy(same_name.data() + at, "labem.npy", 9);
  CHECK(refusal(same_name) == "(no error)");
  auto commented = whole;
  commented[last + 20] = std::byte{3};
  for (const char c : {'a', 'b', 'c'}) commented.push_back(static_cast<std::byte>(c));
  CHECK(refusal(commented) == "(no error)");
}

TEST_CASE("a flipped bit is noticed, or is none of what is read") {
  const Tensor<float, Shape<2>> x{{1, 2}};
  const std::vector<int> labels{3, 4, 5};
  std::vector<std::byte> file = npz_bytes({named("x", x), named("labels", std::span<const int>(labels))});
  for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
    file[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
    CAPTURE(bit);
    try {
      const NpzArrays read = parse_npz(file);
      REQUIRE(read.arrays.size() == 2);
      REQUIRE(read["x"].values<float>() == std::vector<float>{1, 2});
      REQUIRE(read["labels"].values<int>() == labels);
    } catch (const Error&) {
    }
    file[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
  }
}

TEST_CASE("entries that share bytes are no longer than the file") {
  // Three directory entries for one stored array: each is sound, together they are too long.
  const std::vector<float> zeros(1000);
  const auto one = npz_bytes({named("a", std::span(zeros))});
  const std::size_t directory = find(one, central), last = find(one, end);
  std::vector<std::byte> file(one.begin(), one.begin() + static_cast<std::ptrdiff_t>(directory));
  for (int i = 0; i < 3; ++i)
    file.insert(file.end(), one.begin() + static_cast<std::ptrdiff_t>(directory),
                one.begin() + static_cast<std::ptrdiff_t>(last));
  file.insert(file.end(), one.begin() + static_cast<std::ptrdiff_t>(last), one.end());
  file[file.size() - 22 + 10] = std::byte{3};
  CHECK(has(refusal(file), "is not a complete zip file"));
}
