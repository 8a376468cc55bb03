// SPDX-License-Identifier: MIT
// labels: threads
#include <doctest/doctest.h>
#include <sys/resource.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <random>
#include <sinter/data/batches.hpp>
#include <sinter/data/labelled_data.hpp>
#include <sinter/data/read_ahead.hpp>

#include "data/temporary_folder.hpp"
#include "support/error_of.hpp"

using namespace sinter::internal;

namespace {
using Row = Shape<2, 3>;
constexpr int n = Row::size;
template <class Label = std::uint8_t>
using Files = RecordFiles<float, Row, Label>;

float number_of(std::size_t row, int i) { return static_cast<float>(row) + static_cast<float>(i) / 8; }

/// Files of `count` records each, in that form, the rest of a record filled with noise.
template <class Label>
std::vector<std::string> write_files(const TemporaryFolder& folder, const std::vector<std::size_t>& sizes,
                                     const RecordForm& form) {
  std::vector<std::string> paths;
  std::size_t row = 0;
  for (const std::size_t size : sizes) {
    std::vector<char> bytes(size * form.size, 'x');
    for (std::size_t i = 0; i < size; ++i, ++row) {
      char* const record = bytes.data() + i * form.size;
      const Label label = static_cast<Label>(row % 100);
      std::memcpy(record + form.label, &label, sizeof label);
      for (int k = 0; k < n; ++k) {
        const float x = number_of(row, k);
        std::memcpy(record + form.inputs + static_cast<std::size_t>(k) * sizeof x, &x, sizeof x);
      }
    }
    paths.push_back(folder / ("part_" + std::to_string(paths.size()) + ".bin"));
    write_bytes(paths.back(), bytes);
  }
  return paths;
}
std::vector<std::string> write_files(const TemporaryFolder& folder, const std::vector<std::size_t>& sizes) {
  return write_files<std::uint8_t>(folder, sizes, Files<>::label_first);
}
/// The same rows in memory.
LabelledData<float, Row, int> in_memory(std::size_t rows) {
  std::vector<float> x;
  std::vector<int> labels;
  for (std::size_t row = 0; row < rows; ++row) {
    for (int k = 0; k < n; ++k) x.push_back(number_of(row, k));
    labels.push_back(static_cast<int>(row % 100));
  }
  return {x, labels};
}
/// Whether a batch holds the rows that it says.
template <class Batch>
bool is_right(const Batch& batch) {
  bool right = batch.inputs().rows == batch.size() && batch.targets().size() == batch.size();
  for (std::size_t i = 0; i < batch.size(); ++i) {
    right &= static_cast<std::size_t>(batch.targets()[i]) == batch.rows()[i] % 100;
    for (int k = 0; k < n; ++k) right &= batch.inputs().row(i)[k] == number_of(batch.rows()[i], k);
  }
  return right;
}
std::string refusal(const TemporaryFolder& folder, auto&& action) {
  return rename_in(error_of(action), folder.path, "DIR");
}
}  // namespace

TEST_CASE("rows continue from file to file; the last batch is what is left; a second walk is the first") {
  const TemporaryFolder folder;
  const Files<> files(write_files(folder, {7, 1, 5}));
  CHECK(files.size() == 13);
  auto all = batches(files, {.batch_size = 4, .shuffle = false});
  for (int walk = 0; walk < 2; ++walk) {
    std::vector<std::size_t> sizes, rows;
    for (const auto& batch : all) {
      CHECK(is_right(batch));
      sizes.push_back(batch.size());
      rows.insert(rows.end(), batch.rows().begin(), batch.rows().end());
    }
    CHECK(sizes == std::vector<std::size_t>{4, 4, 4, 1});
    for (std::size_t i = 0; i < 13; ++i) CHECK(rows[i] == i);
  }
  std::vector<std::size_t> whole;
  for (const auto& batch : batches(files, {.batch_size = 4, .drop_last = true})) {
    CHECK(is_right(batch));
    whole.push_back(batch.size());
  }
  CHECK(whole == std::vector<std::size_t>{4, 4, 4});
  for (const auto& batch : batches(files, {.batch_size = 14, .drop_last = true})) CHECK(batch.size() == 0);
  for (const auto& batch : all) {  // left early: the thread that reads is stopped
    CHECK(batch.size() == 4);
    break;
  }
}

TEST_CASE("random files, forms and options: the order of batches() over the same rows in memory, each row once") {
  std::mt19937 random(7);
  const auto below = [&](std::size_t most) { return static_cast<std::size_t>(random()) % most; };
  for (int attempt = 0; attempt < 150; ++attempt) {
    const TemporaryFolder folder;
    std::vector<std::size_t> sizes(1 + below(4));
    std::size_t total = 0;
    for (auto& size : sizes) total += size = 1 + below(attempt % 10 == 0 ? 3000 : 40);
    const std::size_t row_bytes = n * sizeof(float), gap = below(9), tail = below(9);
    const bool label_first = below(2) == 0;
    const RecordForm form{4 + row_bytes + gap + tail, label_first ? gap : row_bytes + gap, label_first ? 4 + gap : 0};
    const Files<std::int32_t> files(write_files<std::int32_t>(folder, sizes, form), Normalize{2, 3}, form);
    REQUIRE(files.size() == total);
    const ReadOptions options{.batch_size = 1 + below(50),
                              .seed = below(5),
                              .epoch = static_cast<std::uint32_t>(below(5)),
                              .shuffle = below(4) != 0,
                              .ahead = below(6),
                              .run = below(2) == 0 ? 1 : 1 + below(60)};
    CAPTURE(attempt);
    std::vector<std::uint64_t> rows;
    bool right = true;
    for (const auto& batch : batches(files, options)) {
      right &= is_right(batch) && batch.normalize() == Normalize{2, 3};
      right &= batch.size() == std::min(options.batch_size, total - rows.size());
      rows.insert(rows.end(), batch.rows().begin(), batch.rows().end());
    }
    CHECK(right);
    if (options.run == 1) {
      const auto data = in_memory(total);
      std::vector<std::uint64_t> wanted;
      for (const auto& batch : batches(data, {.batch_size = options.batch_size,
                                              .seed = options.seed,
                                              .epoch = options.epoch,
                                              .shuffle = options.shuffle}))
        wanted.insert(wanted.end(), batch.rows().begin(), batch.rows().end());
      CHECK(rows == wanted);
    } else if (options.shuffle) {
      for (std::size_t i = 0; i < rows.size(); ++i)  // runs stay together
        right &= i % options.run == 0 || rows[i] == rows[i - 1] + 1;
      CHECK(right);
    }
    std::sort(rows.begin(), rows.end());
    REQUIRE(rows.size() == total);
    for (std::size_t i = 0; i < total; ++i) right &= rows[i] == i;
    CHECK(right);
  }
}

TEST_CASE("files that are missing, ragged, empty, no files; forms that do not fit; options that are none") {
  const TemporaryFolder folder;
  const auto paths = write_files(folder, {3});
  CHECK(refusal(folder, [&] { Files<>({paths[0], folder / "none.bin"}); }) ==
        "cannot open DIR/none.bin: No such file or directory; check the path");
  CHECK(refusal(folder, [&] { Files<>({folder.path}); }) ==
        "DIR is not a regular file, expected one of records; check the path");
  write_bytes(folder / "ragged.bin", std::string(51, 'x'));
  CHECK(refusal(folder, [&] { Files<>({paths[0], folder / "ragged.bin"}); }) ==
        "DIR/ragged.bin holds 51 bytes, expected records of 25 bytes, one or more; it is truncated or of another form: "
        "make "
        "it again, or give its RecordForm");
  write_bytes(folder / "empty.bin", std::string());
  CHECK(refusal(folder, [&] { Files<>({folder / "empty.bin"}); }).find("DIR/empty.bin holds 0 bytes") == 0);
  CHECK(refusal(folder, [&] { Files<>(std::vector<std::string>{}); }) ==
        "no files of records were given; give the paths of one or more");
  CHECK(
      refusal(folder, [&] { Files<>(paths, Normalize{}, {25, 25, 0}); }) ==
      "records of 25 bytes were announced with a label of 1 at byte 25 and a row of 24 at byte 0; both must lie within "
      "the record");
  CHECK(error_of([&] {
          RecordFiles<std::int32_t, Row, std::uint8_t>(paths, Normalize{.scale = 1e30f});
        }).starts_with("integers up to 2147483647 were to be scaled by Normalize{.scale = 1e+30, .shift = 0}"));
  CHECK(refusal(folder, [&] { Files<>(paths, Normalize{}, {25, 0, 2}); }).find("a row of 24 at byte 2;") !=
        std::string::npos);
  CHECK(refusal(folder, [&] { Files<>(paths, Normalize{}, {25, 3, 0}); }) ==
        "records were announced with a label of 1 at byte 3 and a row of 24 at byte 0, which overlap; correct one of "
        "them");
  const Files<> files(paths);
  CHECK(error_of([&] { batches(files, {.batch_size = 0}); }) == "batches was given batch_size = 0; give it 1 or more");
  CHECK(error_of([&] { batches(files, {.run = 0}); }) == "batches was given run = 0; give it 1 or more");
}

TEST_CASE("an error while reading comes after the batches before it, and another pass may succeed") {
  const TemporaryFolder folder;
  const auto paths = write_files(folder, {6, 6});
  const Files<> files(paths);
  const std::string whole = read_text(paths[1]);
  auto all = batches(files, {.batch_size = 2, .shuffle = false, .ahead = 2});
  std::size_t seen = 0;
  const auto walk = [&] {
    seen = 0;
    return refusal(folder, [&] {
      for (const auto& batch : all) seen += is_right(batch) ? batch.size() : 100;
    });
  };
  CHECK(walk() == "(no error)");
  CHECK(seen == 12);

  write_bytes(paths[1], whole.substr(0, 3 * 25 + 5));  // cut off within its record 3
  CHECK(walk() ==
        "record 3 of DIR/part_1.bin cannot be read: the file has become shorter; leave it as it is while it is read");
  CHECK(seen == 8);
  std::filesystem::remove(paths[1]);
  CHECK(walk() ==
        "record 0 of DIR/part_1.bin cannot be read: No such file or directory; leave it as it is while it is read");
  CHECK(seen == 6);

  std::string broken = whole;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(broken.data() + 4 * 25 + 1 + 5 * sizeof nan, &nan, sizeof nan);  // record 4, the last number
  write_bytes(paths[1], broken);
  CHECK(walk() ==
        "row 10, channel 1, place 2 of the files is nan, expected a finite number; remove the row or fill the gap");
  CHECK(seen == 10);
  write_bytes(paths[1], whole);
  CHECK(walk() == "(no error)");
  CHECK(seen == 12);
}

TEST_CASE("more files than may be open at once") {
  const TemporaryFolder folder;
  const Files<> files(write_files(folder, std::vector<std::size_t>(40, 3)));
  rlimit limit{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
  const rlimit few{24, limit.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
  std::size_t rows = 0;
  const std::string error = error_of([&] {
    for (const auto& batch : batches(files, {.batch_size = 7})) rows += batch.size();
  });
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
  CHECK(error == "(no error)");
  CHECK(rows == 120);
}
