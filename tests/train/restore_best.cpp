// SPDX-License-Identifier: MIT
#include "sinter/train/restore_best.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "sinter/data/disc.hpp"
#include "sinter/layers/activation.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/loss/cross_entropy.hpp"
#include "sinter/optimizer/sgd.hpp"
#include "sinter/train/early_stopping.hpp"
#include "sinter/train/fit.hpp"
#include "support/error_of.hpp"

using namespace sinter::internal;

namespace {
struct Model : Sequential<Input<2>, Linear<16>, Tanh, Linear<2>> {};
}  // namespace

TEST_CASE("the network has the parameters of its best epoch when training ends") {
  const auto train = disc(40, 1), test = disc(200, 2);
  const SGD wild{.lr = 5};  // its losses go up and down
  Network<Model> net{{.seed = 1}}, last{{.seed = 1}}, stopped{{.seed = 1}};
  RestoreBest best{net};
  const History history =
      fit(net, train, CrossEntropyLoss{}, wild, {.batch_size = 5, .epochs = 12, .validation = &test}, best);
  fit(last, train, CrossEntropyLoss{}, wild, {.batch_size = 5, .epochs = 12, .validation = &test});

  CHECK(best.epoch() == history.best().epoch);
  REQUIRE(best.epoch() < 12);
  CHECK(best.loss() == history.best().validation_loss);
  CHECK(evaluate(net, test, CrossEntropyLoss{}).loss == history.best().validation_loss);
  CHECK(evaluate(last, test, CrossEntropyLoss{}).loss == history.epochs.back().validation_loss);

  fit(stopped, train, CrossEntropyLoss{}, wild, {.batch_size = 5, .epochs = best.epoch(), .validation = &test});
  CHECK(std::equal(net.data(), net.data() + Program<Model>::arena_size, stopped.data()));
}

TEST_CASE("of another network than the one that is trained: refused, before anything is trained") {
  const auto train = disc(20, 1);
  Network<Model> net{{.seed = 1}}, other{{.seed = 2}};
  const Network<Model> before = net;
  CHECK(error_of([&] { fit(net, train, CrossEntropyLoss{}, SGD{}, {}, RestoreBest{other}); }) ==
        "fit was given a RestoreBest of another network than the one that it trains; make it of that one: fit(net, .., "
        "RestoreBest{net})");
  CHECK(std::equal(net.data(), net.data() + Program<Model>::arena_size, before.data()));
}

TEST_CASE("without an epoch there is nothing to give back") {
  const auto train = disc(20, 1);
  Network<Model> net, same;
  fit(net, train, CrossEntropyLoss{}, SGD{}, {.epochs = 0}, RestoreBest{net});
  CHECK(std::equal(net.data(), net.data() + Program<Model>::arena_size, same.data()));
}
