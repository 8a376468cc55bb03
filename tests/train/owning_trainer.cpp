// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <type_traits>
#include <utility>
#include <vector>

#include "sinter/data/disc.hpp"
#include "sinter/layers/activation.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/loss/cross_entropy.hpp"
#include "sinter/network/network.hpp"
#include "sinter/optimizer/adam.hpp"
#include "sinter/train/owning_trainer.hpp"

using namespace sinter;

namespace {
struct Model : Sequential<Input<2>, Linear<8>, Tanh, Linear<2>> {};
using Training = OwningTrainer<Network<Model>, CrossEntropyLoss, Adam>;
using Plain = Trainer<Network<Model>, CrossEntropyLoss, Adam>;

static_assert(!std::is_copy_constructible_v<Plain> && !std::is_move_constructible_v<Plain>);
static_assert(!std::is_copy_assignable_v<Plain> && !std::is_move_assignable_v<Plain>);
static_assert(std::is_copy_constructible_v<Training> && std::is_nothrow_move_constructible_v<Training>);

struct Learner {  // a user's class that holds both
  Training training;
  explicit Learner(std::uint64_t seed)
      : training(Network<Model>{{.seed = seed}}, CrossEntropyLoss{}, Adam{.lr = 0.01}) {}
  void learn(int steps) {
    const auto points = disc(50, 1);
    for (int i = 0; i < steps; ++i) training->step(points);
  }
  std::vector<float> weights() const {
    const auto& all = training.network().to_host();
    return {all.data(), all.data() + all.size()};
  }
};
std::vector<float> learned(std::uint64_t seed, int steps) {
  Learner one(seed);
  one.learn(steps);
  return one.weights();
}
}  // namespace

TEST_CASE("in a vector that grows, each trains its own network") {
  std::vector<Learner> learners;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    learners.emplace_back(seed);
    for (auto& learner : learners) learner.learn(3);
  }
  for (std::uint64_t seed = 1; seed <= 5; ++seed)
    CHECK(learners[seed - 1].weights() == learned(seed, 3 * static_cast<int>(6 - seed)));
}

TEST_CASE("a copy continues from the state of the original, optimizer included, and is another network") {
  Learner one(1);
  one.learn(4);
  Learner copy = one;
  copy.learn(3);
  CHECK(one.weights() == learned(1, 4));
  CHECK(copy.weights() == learned(1, 7));
  CHECK(copy.training->steps() == 7);
  one = copy;
  one.learn(1);
  CHECK(copy.weights() == learned(1, 7));
  CHECK(one.weights() == learned(1, 8));
}

TEST_CASE("a move leaves the network where it is") {
  Learner one(2);
  one.learn(2);
  const Network<Model>* where = &one.training.network();
  Learner moved = std::move(one);
  CHECK(&moved.training.network() == where);
  CHECK(&moved.training->network() == where);
  moved.learn(2);
  CHECK(moved.weights() == learned(2, 4));
}

TEST_CASE("what was accumulated is copied too") {
  const auto points = disc(20, 1);
  Training one{Network<Model>{}, CrossEntropyLoss{}, Adam{.lr = 0.1}};
  one->accumulate(points);
  Training copy = one;
  CHECK(copy->update());
  CHECK(one->update());
  CHECK(std::equal(one.network().data(), one.network().data() + 10, copy.network().data()));
}
