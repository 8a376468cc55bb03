// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>
#include <stdlib.h>

#include <cstdio>
#include <filesystem>
#include <sinter/report/progress.hpp>
#include <sinter/report/progress_text.hpp>
#include <sinter/train/early_stopping.hpp>
#include <sstream>

#include "data/temporary_folder.hpp"
#include "support/last_words.hpp"

using namespace sinter::internal;

namespace {
double now = 0;
double fake_clock() { return now; }

constexpr Terminal screen{.interactive = true, .columns = 80, .unicode = true, .color = false};

TrainingInfo info() { return {10, 60000, 200, "Host, 2 threads, AVX2", 21840, 1, ""}; }
BatchInfo batch(std::size_t done) { return {3, 10, done, 60000, 0.213}; }
EpochRecord record(int epoch) {
  return {.epoch = epoch,
          .train_loss = 0.21344,
          .validation_loss = 0.0921,
          .validation_accuracy = 0.97123,
          .seconds = 1.12};
}
const std::string line3 = "epoch  3/10  1.12 s  53.6k/s  loss 0.2134  validation loss 0.0921  accuracy 97.12 %";

std::string live(const BatchInfo& at, double seconds, const Terminal& terminal) {
  return detail::live_line(at, seconds, terminal).text;
}
}  // namespace

TEST_CASE("on a terminal: what is trained, a line drawn over ten times a second at most, a line an epoch") {
  std::ostringstream out;
  now = 100;
  Progress progress(out, screen, fake_clock);
  progress.on_begin(info());
  CHECK(out.str() == "Host, 2 threads, AVX2: 21840 parameters, 60000 samples, batch 200, 10 epochs, seed 1\n");

  out.str("");
  now = 100.7;
  progress.on_batch_end(batch(37200));
  const std::string first = "epoch  3/10  62%|████████▋     | 37200/60000 [00:01<00:00, 53.1k/s] loss 0.2130";
  CHECK(out.str() == first);
  now = 100.79;
  progress.on_batch_end(batch(41000));
  CHECK(out.str() == first);

  out.str("");
  now = 101;
  progress.on_batch_end(batch(54000));
  CHECK(out.str() == "\repoch  3/10  90%|████████████▌ | 54000/60000 [00:01<00:00, 54.0k/s] loss 0.2130");

  out.str("");
  progress.on_epoch_end(record(3), {});
  CHECK(out.str() == "\r" + line3 + "\n");
  out.str("");
  progress.on_end({});
  CHECK(out.str().empty());
}

TEST_CASE("a shorter line covers the longer one before it, and an end in mid-epoch leaves nothing") {
  std::ostringstream out;
  now = 0;
  Progress progress(out, screen, fake_clock);
  now = 1;
  progress.on_batch_end(batch(37200));
  out.str("");
  progress.on_epoch_end({.epoch = 1, .train_loss = 1, .seconds = 0.5}, {});
  CHECK(out.str() == "\repoch 1  0.500 s  loss 1.0000" + std::string(79 - 29, ' ') + "\n");
  now = 2;
  progress.on_batch_end(batch(37200));
  out.str("");
  progress.on_end({});
  CHECK(out.str() == "\r" + std::string(79, ' ') + "\r");
}

TEST_CASE("elsewhere: a line an epoch and nothing more, and why training ended early") {
  std::ostringstream out;
  Progress progress(out, {}, fake_clock);
  EarlyStopping stopping{.patience = 1};
  History history;
  call_begin(info(), progress, stopping);
  for (int epoch = 3; epoch <= 4; ++epoch) {
    for (std::size_t done = 200; done <= 60000; done += 200) {
      now += 0.01;
      call_batch_end(batch(done), history, progress, stopping);
    }
    call_epoch_end(record(epoch), history, progress, stopping);
  }
  call_end(history, progress, stopping);
  std::string line4 = line3;
  line4[7] = '4';
  CHECK(out.str() == line3 + "\n" + line4 +
                         "\nstopped: no better loss for 1 epochs, the best was 0.0921 in epoch 3 (after epoch 4)\n");
}

TEST_CASE("a note is said once, everywhere") {
  std::ostringstream out;
  Progress progress(out);
  auto with_note = info();
  with_note.note = "this program was built for SSE, the machine has AVX2";
  progress.on_begin(with_note);
  CHECK(out.str() == "note: this program was built for SSE, the machine has AVX2\n");
}

TEST_CASE("a FILE that is no terminal") {
  const TemporaryFolder folder;
  std::FILE* file = std::fopen((folder / "log").c_str(), "w");
  Progress progress(file);
  progress.on_begin(info());
  progress.on_batch_end(batch(200));
  progress.on_epoch_end(record(3), {});
  std::fclose(file);
  CHECK(read_text(folder / "log") == line3 + "\n");
}

TEST_CASE("the line fits the terminal: the bar shrinks, then goes, then words are cut") {
  const auto at = [](int columns) {
    auto terminal = screen;
    terminal.columns = columns;
    const auto line = detail::live_line(batch(37200), 0.7, terminal);
    std::size_t drawn = 0;
    for (const char c : line.text) drawn += (c & 0xc0) != 0x80;
    CHECK(drawn == line.columns);
    CHECK((columns < 2 || line.columns < std::size_t(columns)));
    return line.text;
  };
  CHECK(at(200) == "epoch  3/10  62%|████████████▍       | 37200/60000 [00:01<00:00, 53.1k/s] loss 0.2130");
  CHECK(at(70) == "epoch  3/10  62%|██▍ | 37200/60000 [00:01<00:00, 53.1k/s] loss 0.2130");
  CHECK(at(69) == "epoch  3/10  62% 37200/60000 [00:01<00:00, 53.1k/s] loss 0.2130");
  CHECK(at(30) == "epoch  3/10  62% 37200/60000 ");
  for (int columns = -1; columns < 100; ++columns) at(columns);
}

TEST_CASE("plain characters, colour") {
  auto terminal = screen;
  terminal.unicode = false;
  CHECK(live(batch(37200), 0.7, terminal) ==
        "epoch  3/10  62%|########      | 37200/60000 [00:01<00:00, 53.1k/s] loss 0.2130");
  terminal.color = true;
  CHECK(live(batch(60000), 0.7, terminal) ==
        "epoch  3/10 100%|\x1b[32m##############\x1b[0m| 60000/60000 [00:01<00:00, 85.7k/s] loss 0.2130");
}

TEST_CASE("odd moments: nothing done, no time passed, no samples, a loss of NaN, tiny or huge") {
  CHECK(live(batch(0), 0, screen) == "epoch  3/10   0%|                    |     0/60000 [00:00<?, ?/s] loss 0.2130");
  CHECK(live({1, 1, 0, 0, EpochRecord::not_counted}, 1, screen) ==
        "epoch 1/1 100%|████████████████████| 0/0 [00:01<?, ?/s] loss nan");
  CHECK(detail::loss_text(2.13e-5) == "2.13e-05");
  CHECK(detail::loss_text(0) == "0.0000");
  CHECK(detail::loss_text(-12.5) == "-12.5000");
  CHECK(detail::loss_text(1e300) == "1e+300");
}

TEST_CASE("numbers for people") {
  CHECK(detail::rate_text(0) == "?/s");
  CHECK(detail::rate_text(0.5) == "0.500/s");
  CHECK(detail::rate_text(873) == "873/s");
  CHECK(detail::rate_text(52100) == "52.1k/s");
  CHECK(detail::rate_text(1.234e6) == "1.23M/s");
  CHECK(detail::rate_text(5e12) == "5000G/s");
  CHECK(detail::clock_text(61) == "01:01");
  CHECK(detail::clock_text(3599.6) == "1:00:00");
  CHECK(detail::clock_text(36061) == "10:01:01");
  CHECK(detail::clock_text(1e300) == "?");
  CHECK(detail::seconds_text(0.0123) == "12.3 ms");
  CHECK(detail::seconds_text(0.12345) == "0.123 s");
  CHECK(detail::seconds_text(12.345) == "12.3 s");
  CHECK(detail::seconds_text(1234.5) == "1234 s");
  CHECK(detail::bar_text(0.5, 4, true) == "██  ");
  CHECK(detail::bar_text(1.5, 4, true) == "████");
  CHECK(detail::bar_text(-1, 4, false) == "    ");
}

TEST_CASE("the environment: COLUMNS and the locale") {
  const TemporaryFolder folder;
  std::FILE* file = std::fopen((folder / "log").c_str(), "w");
  setenv("COLUMNS", "57", 1);
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) unsetenv(name);
  CHECK_FALSE(Terminal::of(file).unicode);
  setenv("LANG", "de_DE.utf8", 1);
  CHECK(Terminal::of(file).unicode);
  setenv("LC_ALL", "C", 1);
  const Terminal terminal = Terminal::of(file);
  CHECK_FALSE(terminal.unicode);
  CHECK_FALSE(terminal.interactive);
  CHECK_FALSE(terminal.color);
  CHECK(terminal.columns == 57);
  setenv("COLUMNS", "many", 1);
  CHECK(Terminal::of(file).columns == 80);
  std::fclose(file);
}

TEST_CASE("lines that cannot be written are complained of, once" *
          doctest::skip(!std::filesystem::exists("/dev/full"))) {
  const std::string words = sinter_test::last_words_of([] {
    Progress progress(std::fopen("/dev/full", "w"), {}, fake_clock);
    progress.on_begin(info());
    progress.on_epoch_end(record(1), {});
    progress.on_epoch_end(record(2), {});
  });
  CHECK(words.find("sinter: the progress of training could not be written: No space left on device\n") !=
        std::string::npos);
  CHECK(words.find("progress", words.find("progress") + 1) == std::string::npos);
}
