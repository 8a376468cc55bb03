// SPDX-License-Identifier: MIT
#include "sinter/report/training_log.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "data/temporary_folder.hpp"
#include "sinter/data/csv.hpp"
#include "support/error_of.hpp"
#include "support/fit_disc.hpp"

using namespace sinter::internal;
using sinter_test::fit_disc;

namespace {

std::size_t lines(const std::string& text) {
  std::size_t count = 0;
  for (const char c : text) count += c == '\n';
  return count;
}
/// Reads the file while it grows.
struct Follow {
  std::string path;
  std::vector<std::size_t> seen = {};
  void on_epoch_end(const EpochRecord&, const History&) { seen.push_back(lines(read_text(path))); }
};

}  // namespace

TEST_CASE("a log has a line for each epoch as soon as it is over") {
  const TemporaryFolder folder;
  const std::string csv = folder / "run.csv", json = folder / "run.jsonl";
  Follow follow{csv}, follow_json{json};
  TrainingLog log{.path = csv};
  const History history = fit_disc(3, log, TrainingLog{.path = json}, follow, follow_json);
  CHECK(follow.seen == std::vector<std::size_t>{2, 3, 4});
  CHECK(follow_json.seen == std::vector<std::size_t>{1, 2, 3});
  CHECK(read_text(csv) == history.csv_text());

  std::string objects = history.json_text();  // has the same ones, indented, with a comma after each
  for (const auto& record : history.epochs) {
    CHECK(has(objects, "\n  " + detail::json_object(record)));
    CHECK(has(read_text(json), detail::json_object(record) + "\n"));
  }

  const History shorter = fit_disc(1, log);
  CHECK(read_text(csv) == shorter.csv_text());
}

TEST_CASE("the log of a process that was killed as it wrote is read without the part of a line") {
  const TemporaryFolder folder;
  const std::string csv = folder / "run.csv";
  const History history = fit_disc(3, TrainingLog{.path = csv});
  const std::string whole = read_text(csv);
  const std::size_t last = whole.rfind('\n', whole.size() - 2) + 1;
  for (std::size_t size = last; size < whole.size(); ++size) {
    const CsvTable table = parse_csv(whole.substr(0, size), {.whole_lines = true});
    REQUIRE(table.rows() == 2);
    CHECK(table.numbers<double>({"train_loss"}).data()[1] == history.epochs[1].train_loss);
  }
  CHECK(parse_csv(whole, {.whole_lines = true}).rows() == 3);
  CHECK(has(error_of([&] { parse_csv(whole.substr(0, last + 3)); }),
            "the line has no end: leave it out by .whole_lines"));
}

TEST_CASE("a log that cannot be written says so") {
  const TemporaryFolder folder;
  CHECK(has(error_of([&] { fit_disc(1, TrainingLog{.path = folder / "run.txt"}); }),
            "run.txt\"; give it one that ends in .csv or .jsonl"));
  CHECK(has(error_of([&] { fit_disc(1, TrainingLog{.path = folder / "nowhere/run.csv"}); }), "nowhere/run.csv"));

  // The disk is full from the second epoch on.
  TrainingLog log{.path = folder / "run.jsonl"};
  struct Fill {
    TrainingLog& log;
    void on_epoch_end(const EpochRecord&, const History&) { log.file.open("/dev/full"); }
  };
  const History history = fit_disc(5, log, Fill{log});
  CHECK(history.epochs.size() == 2);
  CHECK(history.stopped ==
        "cannot write /dev/full: No space left on device; make room there, or give a path on another "
        "disk (after epoch 2)");
}
