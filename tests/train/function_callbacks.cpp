// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <functional>
#include <string>

#include "sinter/sinter.hpp"

using namespace sinter;

namespace {
struct Net : Sequential<Input<2>, Linear<2>> {};

std::string said;
void report(const EpochRecord& epoch, const History&) { said += "reported " + std::to_string(epoch.epoch) + ";"; }

template <class... Functions>
History trained(Functions&&... functions) {
  said.clear();
  Network<Net> net;
  return fit(net, disc(20, 1), CrossEntropyLoss{}, SGD{.lr = 0.1}, {.batch_size = 10, .epochs = 3}, functions...);
}
}  // namespace

TEST_CASE("functions are callbacks: what they take says when they are called") {
  int calls = 0;
  const History history =
      trained([](const TrainingInfo& info) { said += "begin " + std::to_string(info.epochs) + ";"; },
              [](const BatchInfo& info) { said += "batch " + std::to_string(info.samples_done) + ";"; },
              [calls](const EpochRecord& epoch, const History&) mutable {
                said += "call " + std::to_string(++calls) + " after epoch " + std::to_string(epoch.epoch) + ";";
                return epoch.epoch < 2;
              },
              [](const History& all) { said += "end after " + std::to_string(all.epochs.size()) + ";"; });
  CHECK(said == "begin 3;batch 10;batch 20;call 1 after epoch 1;batch 10;batch 20;call 2 after epoch 2;end after 2;");
  CHECK(history.stopped == "a callback asked for it (after epoch 2)");
  CHECK(calls == 0);
}

TEST_CASE("plain functions, std::function, and lambdas that take anything twice") {
  trained(report);
  CHECK(said == "reported 1;reported 2;reported 3;");
  trained(&report);
  CHECK(said == "reported 1;reported 2;reported 3;");
  trained(std::function<void(const EpochRecord&, const History&)>(report));
  CHECK(said == "reported 1;reported 2;reported 3;");
  trained([](const auto& epoch, const auto& history) { report(epoch, history); });
  CHECK(said == "reported 1;reported 2;reported 3;");
  const History history = trained([](const BatchInfo& batch) { return batch.samples_done < 10; });
  CHECK(history.stopped == "a callback asked for it (after 10 rows of epoch 1)");
}
