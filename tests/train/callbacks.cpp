// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <sinter/train/callbacks.hpp>
#include <string>

using namespace sinter::internal;

namespace {
std::string said;

struct All {
  void on_begin(const TrainingInfo& info) { said += "begin " + std::to_string(info.epochs) + ";"; }
  void on_batch_end(const BatchInfo& info) { said += "batch " + std::to_string(info.samples_done) + ";"; }
  void on_epoch_end(const EpochRecord& record, const History&) {
    said += "epoch " + std::to_string(record.epoch) + ";";
  }
  void on_end(const History&) { said += "end;"; }
};
struct Stops {
  bool go_on;
  bool on_epoch_end(const EpochRecord&, const History&) const {
    said += "asked;";
    return go_on;
  }
};
struct StopsWithReason : Stops {
  std::string reason() const { return "enough"; }
};
struct Nothing {};

static_assert(HasBegin<All> && HasBatchEnd<All> && HasEpochEnd<All> && HasEnd<All> && !HasReason<All>);
static_assert(!HasBegin<Stops> && !HasBatchEnd<Stops> && HasEpochEnd<const Stops> && !HasEnd<Stops>);
static_assert(HasReason<StopsWithReason> && Callback<Stops> && !Callback<Nothing>);
}  // namespace

TEST_CASE("each callback hears what it has a member for, in order") {
  said.clear();
  All all;
  const Stops goes_on{true};
  History history;
  call_begin({.epochs = 3}, all, goes_on);
  CHECK(call_batch_end({.samples_done = 20}, history, all, goes_on));
  CHECK(call_epoch_end({.epoch = 1}, history, all, goes_on, all));
  call_end(history, all, goes_on);
  CHECK(said == "begin 3;batch 20;epoch 1;asked;epoch 1;end;");
  CHECK(history.stopped.empty());
  CHECK(call_epoch_end({}, history));
}

TEST_CASE("one that asks to stop does not keep the others from hearing, and its reason is kept") {
  said.clear();
  History history;
  Stops stops{false}, goes_on{true};
  StopsWithReason late{{false}};
  All all;
  CHECK_FALSE(call_epoch_end({.epoch = 4}, history, goes_on, late, stops, all));
  CHECK(said == "asked;asked;asked;epoch 4;");
  CHECK(history.stopped == "enough (after epoch 4)");
  CHECK_FALSE(call_epoch_end({.epoch = 5}, history, stops));
  CHECK(history.stopped == "a callback asked for it (after epoch 5)");
}

TEST_CASE("the end of a batch stops the training too") {
  struct StopsInEpoch {
    bool on_batch_end(const BatchInfo& info) const { return info.samples_done < 40; }
    std::string reason() const { return "seen enough"; }
  };
  said.clear();
  All all;
  const StopsInEpoch stops;
  History history;
  CHECK(call_batch_end({.epoch = 2, .samples_done = 20}, history, stops, all));
  CHECK(history.stopped.empty());
  CHECK_FALSE(call_batch_end({.epoch = 2, .samples_done = 40}, history, stops, all));
  CHECK(history.stopped == "seen enough (after 40 rows of epoch 2)");
  CHECK(said == "batch 20;batch 40;");
}
