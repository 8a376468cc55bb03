// SPDX-License-Identifier: MIT
// labels: large sanitized
#include "sinter/io/tensorboard.hpp"
#include "sinter/io/crc32c.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "data/temporary_folder.hpp"
#include "sinter/io/fit_checkpoint.hpp"
#include "sinter/sinter.hpp"
#include "support/error_of.hpp"
#include "support/fit_disc.hpp"

using namespace sinter::internal;
using sinter_test::fit_disc;

namespace {

std::vector<std::string> files(const std::string& folder) {
  std::vector<std::string> all;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) all.push_back(entry.path().string());
  return all;
}
template <class T>
T number_at(const std::string& bytes, std::size_t at) {
  T number{};
  REQUIRE(at + sizeof number <= bytes.size());
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}
/// The events of a file whose sums are right.
std::vector<std::string> events(const std::string& path) {
  const std::string bytes = read_text(path);
  std::vector<std::string> all;
  const auto right = [&](std::size_t at, std::size_t size, std::uint32_t masked) {
    const std::uint32_t rotated = masked - 0xa282ead8u;
    return (rotated >> 17 | rotated << 15) == detail::crc32c(std::string_view(bytes).substr(at, size));
  };
  for (std::size_t at = 0; at < bytes.size();) {
    const auto size = number_at<std::uint64_t>(bytes, at);
    CHECK(right(at, 8, number_at<std::uint32_t>(bytes, at + 8)));
    CHECK(right(at + 12, size, number_at<std::uint32_t>(bytes, at + 12 + size)));
    all.push_back(bytes.substr(at + 12, size));
    at += size + 16;
  }
  return all;
}
/// Field 2 of a summary's value, after its tag.
float value_of(const std::string& event, const std::string& tag) {
  const std::size_t at = event.find(tag);
  REQUIRE(at != event.npos);
  CHECK(event[at + tag.size()] == 0x15);
  return number_at<float>(event, at + tag.size() + 1);
}
struct Follow {
  std::string folder;
  std::vector<std::size_t> seen = {};
  void on_epoch_end(const EpochRecord&, const History&) { seen.push_back(events(files(folder).front()).size()); }
};

}  // namespace

TEST_CASE("the checksum of records is that of the standard") {
  CHECK(detail::crc32c("123456789") == 0xe3069283u);
  CHECK(detail::crc32c(std::string(32, '\0')) == 0x8a9136aau);
}

TEST_CASE("TensorBoard gets an event for each epoch as soon as it is over") {
  const TemporaryFolder folder;
  const std::string runs = folder / "runs/first";
  Follow follow{runs};
  const History history = fit_disc(3, TensorBoard{.folder = runs}, follow);
  CHECK(follow.seen == std::vector<std::size_t>{2, 3, 4});
  const auto all = events(files(runs).front());
  CHECK(has(all[0], "brain.Event:2"));
  for (std::size_t i = 0; i < 3; ++i) {
    const EpochRecord& record = history.epochs[i];
    CHECK(all[i + 1][0] == 0x09);  // the time
    CHECK(number_at<double>(all[i + 1], 1) > 1.7e9);
    CHECK(all[i + 1][9] == 0x10);
    CHECK(all[i + 1][10] == record.epoch);
    CHECK(value_of(all[i + 1], "loss/train") == static_cast<float>(record.train_loss));
    CHECK(value_of(all[i + 1], "loss/validation") == static_cast<float>(record.validation_loss));
    CHECK(value_of(all[i + 1], "accuracy/validation") == static_cast<float>(record.validation_accuracy));
    CHECK(value_of(all[i + 1], "learning_rate") == 0.1f);
    CHECK(!has(all[i + 1], "accuracy/train"));  // not counted
  }
  fit_disc(1, TensorBoard{.folder = runs});
  CHECK(files(runs).size() == 2);
}

TEST_CASE("what a killed fit has left of its last event is followed by a file of whole ones") {
  const TemporaryFolder folder;
  const std::string board = folder / "board";
  const auto go_on = [&](int epochs) {
    fit_disc(epochs, Checkpoint{.path = folder / "run", .resume = true}, TensorBoard{.folder = board});
  };
  go_on(2);
  const std::string first = files(board).at(0), whole = read_text(first);
  write_file(first, whole + whole.substr(whole.size() - 40, 30));  // killed as it wrote the third event
  const std::string left = read_text(first);
  go_on(4);
  std::vector<std::string> all = files(board);
  REQUIRE(all.size() == 2);
  std::sort(all.begin(), all.end());
  CHECK(all[0] == first);
  CHECK(read_text(first) == left);
  CHECK(events(all[1]).size() == 3);  // its version, and the epochs 3 and 4
}

TEST_CASE("TensorBoard gets the curves of each head") {
  const TemporaryFolder folder;
  TensorBoard board{.folder = folder / "runs"};
  board.on_begin(TrainingInfo{});
  board.on_epoch_end(
      EpochRecord{.epoch = 1, .train_loss = 3, .validation_loss = 1e300, .heads = {{.train_loss = 2}, {1, 0.25, 0.75}}},
      History{});
  board.on_end(History{});
  const auto all = events(files(folder / "runs").front());
  CHECK(value_of(all[1], "loss/train/head0") == 2);
  CHECK(value_of(all[1], "loss/train/head1") == 1);
  CHECK(value_of(all[1], "loss/validation/head1") == 0.25f);
  CHECK(value_of(all[1], "accuracy/validation/head1") == 0.75f);
  CHECK(!has(all[1], "validation/head0"));
  CHECK(has(all[1], "loss/validation/head1"));
  CHECK(!has(all[1], "loss/validation\x15"));  // more than the file's floats hold
}

TEST_CASE("a folder that TensorBoard cannot have is refused") {
  const TemporaryFolder folder;
  CHECK(has(error_of([&] { fit_disc(1, TensorBoard{}); }), "TensorBoard was given no folder"));
  write_file(folder / "file", "text");
  CHECK(has(error_of([&] { fit_disc(1, TensorBoard{.folder = folder / "file/run"}); }), "cannot make the folder"));
}
