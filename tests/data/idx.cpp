// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <sinter/data/idx.hpp>

#include "data/temporary_folder.hpp"
#include "support/error_of.hpp"

using namespace sinter;

namespace {
/// From memory and from a file alike.
std::string refusal(const std::vector<std::uint8_t>& bytes) {
  const TemporaryFolder folder;
  const std::string path = folder / "f";
  write_bytes(path, bytes);
  const std::string from_memory = error_of([&] { parse_idx(bytes, path); });
  CHECK(error_of([&] { read_idx(path); }) == from_memory);
  return rename_in(from_memory, path, "F");
}
}  // namespace

TEST_CASE("labels and images") {
  const TemporaryFolder folder;
  const auto labels = idx_bytes({5}, 5), images = idx_bytes({2, 3, 4}, 24);
  write_bytes(folder / "l", labels);
  write_bytes(folder / "i", images);
  CHECK(read_idx(folder / "l").dims == std::vector<std::uint32_t>{5});
  CHECK(read_idx(folder / "l").bytes == std::vector<std::uint8_t>{0, 1, 2, 3, 4});
  for (const auto& file : {read_idx(folder / "i"), parse_idx(images)}) {
    CHECK(file.dims == std::vector<std::uint32_t>{2, 3, 4});
    CHECK(file.bytes == std::vector<std::uint8_t>(images.begin() + 16, images.end()));
  }
  CHECK(parse_idx(idx_bytes({1}, 1)).bytes.size() == 1);
  CHECK(parse_idx(idx_bytes({0x10203}, 0x10203)).dims[0] == 66051);
}

TEST_CASE("what is no IDX file") {
  CHECK(refusal({}) == "F is empty, expected an IDX file; fetch it again");
  CHECK(refusal({0x1f, 0x8b}) == "F is compressed by gzip, expected an IDX file as it is; run: gunzip F");
  CHECK(refusal({0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3}) ==
        "F is compressed by gzip, expected an IDX file as it is; run: gunzip F");
  CHECK(refusal({0, 0, 8}) ==
        "F holds 3 bytes, expected an IDX file, of which the header alone is 8 or more; fetch it again");
  CHECK(refusal({'<', 'h', 't', 'm', 'l', '>', '\n', '<', 'h'}) ==
        "F begins with the bytes 3c 68 74 6d, expected the 00 00 08 of an IDX file; "
        "check that it is the data and not, say, a web page about it");
}

TEST_CASE("other numbers, other dimensions") {
  CHECK(refusal(idx_bytes({4}, 4, 256, 0x0d)) == "F holds numbers of float32, expected bytes (type 8); convert it");
  CHECK(refusal(idx_bytes({4}, 4, 256, 0x09)).find("numbers of int8,") != std::string::npos);
  CHECK(refusal(idx_bytes({4}, 4, 256, 0x0b)).find("numbers of int16,") != std::string::npos);
  CHECK(refusal(idx_bytes({4}, 4, 256, 0x0c)).find("numbers of int32,") != std::string::npos);
  CHECK(refusal(idx_bytes({4}, 4, 256, 0x0e)).find("numbers of float64,") != std::string::npos);
  CHECK(refusal(idx_bytes({4}, 4, 256, 0x0a)).find("numbers of unknown type 10,") != std::string::npos);
  CHECK(refusal(idx_bytes({2, 2}, 4)) == "F has 2 dimensions, expected 1 (labels) or 3 (images); pass such a file");
  CHECK(refusal(idx_bytes({}, 4)).find("F has 0 dimensions") == 0);
  CHECK(refusal(idx_bytes(std::vector<std::uint32_t>(255, 1), 1)).find("F has 255 dimensions") == 0);
}

TEST_CASE("truncated, too long, absurd: refused before memory is asked for") {
  const std::string end = " follow its header; it is truncated or damaged: fetch it again";
  CHECK(refusal(idx_bytes({2, 3, 4}, 23)) == "F announces 2 x 3 x 4 bytes, but 23" + end);
  CHECK(refusal(idx_bytes({2, 3, 4}, 25)) == "F announces 2 x 3 x 4 bytes, but 25" + end);
  CHECK(refusal(idx_bytes({2, 3, 4}, 0)) == "F announces 2 x 3 x 4 bytes, but 0" + end);
  CHECK(refusal(idx_bytes({5}, 0)) == "F announces 5 bytes, but 0" + end);
  auto cut = idx_bytes({2, 3, 4}, 0);
  cut.resize(11);
  CHECK(refusal(cut) == "F ends after 11 bytes, within its header of 16 bytes; fetch it again");
  const std::uint32_t most = 0xffffffff;
  CHECK(refusal(idx_bytes({most}, 8)) == "F announces 4294967295 bytes, but 8" + end);
  CHECK(refusal(idx_bytes({most, most, most}, 1)) ==
        "F announces 4294967295 x 4294967295 x 4294967295 bytes, but 1" + end);
  // 2^64 + 0 and 2^64 + 2^33 modulo 2^64
  CHECK(refusal(idx_bytes({1u << 31, 1u << 31, 4}, 0)).find("truncated") != std::string::npos);
  CHECK(refusal(idx_bytes({0, 28, 28}, 0)) == "F announces 0 x 28 x 28 bytes, so it has no data; fetch it again");
  CHECK(refusal(idx_bytes({most, most, 0}, 0)).find("so it has no data") != std::string::npos);
}

TEST_CASE("no file, a folder") {
  const TemporaryFolder folder;
  const std::string path = folder / "none";
  CHECK(error_of([&] { read_idx(path); }) == "cannot open " + path + ": No such file or directory; check the path");
  CHECK(error_of([&] { read_idx(folder.path); }) ==
        "cannot read " + folder.path + ", expected a regular IDX file; check the path");
}

TEST_CASE("a FIFO is refused, and not waited for") {
  const TemporaryFolder folder;
  const std::string path = folder / "fifo";
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  CHECK(error_of([&] { read_idx(path); }) == "cannot read " + path + ", expected a regular IDX file; check the path");
}
