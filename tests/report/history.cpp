// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <sinter/report/history.hpp>

#include "data/temporary_folder.hpp"
#include "support/error_of.hpp"

using namespace sinter::internal;

namespace {
History two_epochs() {
  History history;
  history.epochs = {{.epoch = 1, .train_loss = 0.1 + 0.2, .seconds = 1e-7, .learning_rate = 0.01},
                    {.epoch = 2,
                     .train_loss = 1. / 3,
                     .validation_loss = 0.25,
                     .validation_accuracy = 1,
                     .seconds = 1.5,
                     .learning_rate = 0.001}};
  history.intervals = {{1, 100, 2.5}, {1, 200, EpochRecord::not_counted}};
  history.samples_per_epoch = 200;
  return history;
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; at += what.size()) ++n;
  return n;
}
}  // namespace

TEST_CASE("csv: exact numbers, nothing where nothing was counted") {
  CHECK(two_epochs().csv_text() ==
        "epoch,train_loss,validation_loss,validation_accuracy,seconds,learning_rate\n"
        "1,0.30000000000000004,,,1e-07,0.01\n"
        "2,0.3333333333333333,0.25,1,1.5,0.001\n");
  CHECK(count(History{}.csv_text(), "\n") == 1);
}

TEST_CASE("heads have columns of their own, and objects") {
  History history;
  history.epochs = {{.epoch = 1, .train_loss = 2, .heads = {{.train_loss = 0.5}, {1, 0.25, 0.75}}}};
  CHECK(history.csv_text() ==
        "epoch,train_loss,validation_loss,validation_accuracy,seconds,learning_rate,"
        "head0_train_loss,head0_validation_loss,head0_validation_accuracy,"
        "head1_train_loss,head1_validation_loss,head1_validation_accuracy\n"
        "1,2,,,0,0,0.5,,,1,0.25,0.75\n");
  CHECK(detail::json_object(history.epochs[0]) ==
        "{\"epoch\": 1, \"train_loss\": 2, \"validation_loss\": null, "
        "\"validation_accuracy\": null, \"seconds\": 0, \"learning_rate\": 0, \"heads\": ["
        "{\"head\": 0, \"train_loss\": 0.5, \"validation_loss\": null, \"validation_accuracy\": null}, "
        "{\"head\": 1, \"train_loss\": 1, \"validation_loss\": 0.25, \"validation_accuracy\": 0.75}]}");
}

TEST_CASE("json: null for what was not counted, intervals, an escaped reason") {
  auto history = two_epochs();
  history.stopped = "a \"loss\"\nof \\ nan\x01";
  CHECK(history.json_text() ==
        "{\"epochs\": [\n"
        "  {\"epoch\": 1, \"train_loss\": 0.30000000000000004, \"validation_loss\": null, "
        "\"validation_accuracy\": null, \"seconds\": 1e-07, \"learning_rate\": 0.01},\n"
        "  {\"epoch\": 2, \"train_loss\": 0.3333333333333333, \"validation_loss\": 0.25, "
        "\"validation_accuracy\": 1, \"seconds\": 1.5, \"learning_rate\": 0.001}],\n"
        "\"intervals\": [\n"
        "  {\"epoch\": 1, \"samples\": 100, \"loss\": 2.5},\n"
        "  {\"epoch\": 1, \"samples\": 200, \"loss\": null}],\n"
        "\"samples_per_epoch\": 200,\n"
        "\"stopped\": \"a \\\"loss\\\"\\u000aof \\\\ nan\\u0001\"}\n");
  CHECK(History{}.json_text() ==
        "{\"epochs\": [],\n\"intervals\": [],\n\"samples_per_epoch\": 0,\n\"stopped\": \"\"}\n");
}

TEST_CASE("numbers read back exactly, in any locale") {
  std::setlocale(LC_ALL, "de_DE.UTF-8");  // a decimal comma, where it is installed
  for (const double x : {0.1, 1. / 3, 5e-324, 1.7976931348623157e308, -0.0, 123456789.123456789, 6.02214076e23})
    CHECK(std::strtod(exact_text(x).c_str(), nullptr) == x);
  CHECK(exact_text(0.5) == "0.5");
  std::setlocale(LC_ALL, "C");
}

TEST_CASE("best: least validation loss; least training loss without validation; never a NaN") {
  CHECK(two_epochs().best().epoch == 2);
  History history;
  CHECK(error_of([&] { (void)history.best(); }) ==
        "best() was called on a history without epochs; train for at least one");
  history.epochs = {
      {.epoch = 1}, {.epoch = 2, .train_loss = 3}, {.epoch = 3, .train_loss = 1}, {.epoch = 4, .train_loss = 2}};
  CHECK(history.best().epoch == 3);
  history.epochs[1].validation_loss = 7;
  CHECK(history.best().epoch == 2);
  history.epochs = {{.epoch = 1}, {.epoch = 2}};
  CHECK(history.best().epoch == 2);
}

TEST_CASE("svg: two panels, one, none; a gap breaks the line and a lone point is a dot") {
  auto history = two_epochs();
  const std::string both = history.svg_text();
  CHECK(both.find("viewBox=\"0 0 880 320\"") != both.npos);
  CHECK(count(both, "<svg") == 1);
  CHECK(count(both, "</svg>") == 1);
  CHECK(count(both, ">training</text>") == 1);
  CHECK(count(both, ">validation</text>") == 2);
  CHECK(both.find("nan") == both.npos);
  CHECK(both.find("inf") == both.npos);

  History loss;
  for (int epoch = 1; epoch <= 60; ++epoch)
    loss.epochs.push_back(
        {.epoch = epoch, .train_loss = epoch == 20 || epoch == 22 ? EpochRecord::not_counted : 1. / epoch});
  const std::string one = loss.svg_text();
  CHECK(one.find("viewBox=\"0 0 440 320\"") != one.npos);
  CHECK(one.find("accuracy") == one.npos);
  CHECK(count(one, "<circle") == 1);
  const auto path = one.substr(one.find("<path d=\""), one.find("\" fill=\"none\"") - one.find("<path d=\""));
  CHECK(count(path, "M") == 3);
  CHECK(count(path, "L") == 55);

  CHECK(History{}.svg_text().find("nothing was counted") != std::string::npos);
}

TEST_CASE("svg: one epoch, constant, huge, tiny and infinite values") {
  for (const double value : {0., 1., -3., 1e-300, 1e15, 1e99, 1e200, 1e300 * 1e300}) {
    History history;
    for (int epoch = 1; epoch <= 2; ++epoch) {
      history.epochs.push_back({.epoch = epoch, .train_loss = value, .validation_accuracy = 1});
      const std::string text = history.svg_text();
      CHECK(text.size() < 10000);
      CHECK(count(text, "<circle") == std::size_t(value < 1e100 ? 2 * epoch : epoch));
      CHECK(text.find("nan") == text.npos);
    }
    history.epochs[0].train_loss = value * (1 + 1e-15);
    CHECK(history.svg_text().size() < 10000);
  }
}

TEST_CASE("axis: few and round ticks around the values") {
  using detail::Axis;
  const auto near = [](const Axis& axis, double low, double high, double step) {
    CHECK(axis.low == doctest::Approx(low));
    CHECK(axis.high == doctest::Approx(high));
    CHECK(axis.step == doctest::Approx(step));
  };
  near(Axis::around(0.03, 2.3, 1e300), 0, 2.5, 0.5);
  near(Axis::around(0.912, 0.983, 1e300), 0.90, 1, 0.02);
  near(Axis::around(71, 99, 100), 70, 100, 10);
  near(Axis::integers(1, 25), 1, 25, 5);
  near(Axis::integers(1, 2), 1, 2, 1);
  near(Axis::integers(1, 1), 0.5, 1.5, 1);
  CHECK(Axis{0, 1, 0.02}.label(0.1) == "0.10");
  CHECK(Axis{0, 1e-9, 2e-10}.label(4e-10) == "4e-10");
}

TEST_CASE("files: written whole, refused where they cannot be") {
  const TemporaryFolder folder;
  const auto history = two_epochs();
  history.csv(folder / "h.csv");
  history.json(folder / "h.json");
  history.svg(folder / "h.svg");
  CHECK(read_text(folder / "h.csv") == history.csv_text());
  CHECK(read_text(folder / "h.json") == history.json_text());
  CHECK(read_text(folder / "h.svg") == history.svg_text());
  std::filesystem::create_symlink("h.csv", folder / "link.csv");
  write_file(folder / "h.csv", "old");
  history.csv(folder / "link.csv");
  CHECK(std::filesystem::is_symlink(folder / "link.csv"));
  CHECK(read_text(folder / "h.csv") == history.csv_text());
  const std::string path = folder / "no/h.csv";
  CHECK(error_of([&] { history.csv(path); }).find("cannot write " + path + ": No such file or directory; give") == 0);
}
