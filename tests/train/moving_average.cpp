// SPDX-License-Identifier: MIT
// A moving average of the weights.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "sinter/sinter.hpp"
#include "support/check_refused.hpp"
#include "support/gradient_check.hpp"
#include "support/training.hpp"

using namespace sinter;
using namespace sinter_test;

namespace {

struct Net : Sequential<Input<7>, Linear<17>, Tanh, Linear<3>> {};
const auto x = inputs<Shape<7>>(23, 3);
const auto labels = labels_for(23, 3);
const auto data = dataset(x, labels);

}  // namespace

TEST_CASE("the average is that of the weights after each step") {
  Network<Net> net{{.seed = 2}}, averaged;
  Trainer trainer{net, CrossEntropyLoss{}, moving_average(SGD{.lr = 0.3, .momentum = 0.9}, averaged, 0.8)};
  std::vector<double> want;
  for (int step = 0; step < 7; ++step) {
    trainer.step(data);
    const auto now = weights(net);
    if (step == 0) want.assign(now.begin(), now.end());
    for (std::size_t i = 0; i < want.size(); ++i) want[i] = 0.8 * want[i] + 0.2 * static_cast<double>(now[i]);
  }
  trainer.store_average();
  CHECK(norm_error(weights(averaged), want) < 1e-6);
  CHECK(norm_error(weights(averaged), weights(net)) > 1e-3);
}

TEST_CASE("training is that of the optimizer alone, and fit stores the average of any number of threads") {
  const auto train = [](int threads, auto&& wrapped) {
    Network<Net> net(Host{.threads = threads}, {.seed = 2});
    fit(net, data, CrossEntropyLoss{}, wrapped, {.batch_size = 9, .epochs = 4});
    return weights(net);
  };
  Network<Net> one, three, by_hand{{.seed = 2}}, last;
  const auto plain = train(1, RMSprop{.lr = 0.01});
  CHECK(same(train(1, moving_average(RMSprop{.lr = 0.01}, one, 0.9)), plain));
  CHECK(same(train(3, moving_average(RMSprop{.lr = 0.01}, three, 0.9)), plain));
  CHECK(same(weights(one), weights(three)));
  CHECK(!same(weights(one), plain));
  // With a decay of 0 the average is the last.
  train(1, moving_average(per_step(RMSprop{.lr = 0.01}, ExponentialLR{.gamma = 1}), last, 0));
  CHECK(norm_error(weights(last), plain) < 1e-6);
}

TEST_CASE("before the first step, and of what is frozen, the average is the network's own") {
  Network<Net> net{{.seed = 2}}, averaged{{.seed = 7}};
  const auto start = weights(net);
  Trainer trainer{net, CrossEntropyLoss{}, moving_average(Adam{.lr = 0.1}, averaged, 0.9)};
  trainer.store_average();
  CHECK(same(weights(averaged), start));
  trainer.freeze("2.weight");
  trainer.step(data);
  trainer.step(data);
  trainer.store_average();
  const auto own = net.parameter("2.weight"), taken = averaged.parameter("2.weight");
  CHECK(std::equal(own.begin(), own.end(), taken.begin()));
  CHECK(net.parameter("0.weight")[0] != averaged.parameter("0.weight")[0]);
}

TEST_CASE("the average of what was frozen goes on from its weights") {
  Network<Net> net{{.seed = 2}}, averaged, copied;
  Trainer trainer{net, CrossEntropyLoss{}, moving_average(Adam{.lr = 0.1}, averaged, 0.8)};
  trainer.freeze(0);
  trainer.step(data);
  trainer.step(data);
  Trainer resumed{copied = net, CrossEntropyLoss{}, trainer.optimizer()};
  resumed.restore(trainer.snapshot());
  const auto start = net.parameter("0.weight");
  std::vector<double> want(start.begin(), start.end());
  trainer.set_rate_factor(0, 1);
  resumed.set_rate_factor("0", 1);
  for (int step = 0; step < 3; ++step) {
    trainer.step(data);
    resumed.step(data);
    for (std::size_t i = 0; i < want.size(); ++i) want[i] = 0.8 * want[i] + 0.2 * static_cast<double>(start[i]);
  }
  trainer.store_average();
  const auto first = weights(averaged);
  CHECK(norm_error(averaged.parameter("0.weight"), want) < 1e-6);
  resumed.store_average();
  CHECK(same(weights(averaged), first));
  // Frozen later, it is copied, and goes on from the weights again.
  trainer.freeze("0.weight");
  trainer.step(data);
  trainer.set_rate_factor("0.weight", 0.5);
  trainer.store_average();
  CHECK(std::ranges::equal(averaged.parameter("0.weight"), start));
}

TEST_CASE("the statistics of batch normalisation are those of the network") {
  struct Normal : Sequential<Input<7>, Linear<17>, BatchNorm1d<>, Tanh, Linear<3>> {};
  Network<Normal> net{{.seed = 2}}, averaged{{.seed = 7}};
  fit(net, data, CrossEntropyLoss{}, moving_average(SGD{.lr = 0.1}, averaged, 0.5), {.batch_size = 23, .epochs = 3});
  const auto &own = net.to_host(), &taken = averaged.to_host();
  using Ops = Network<Normal>::Ops;
  CHECK(std::equal(own.data() + Ops::arena_size, own.data() + Ops::storage_size, taken.data() + Ops::arena_size));
  CHECK(!std::equal(own.data(), own.data() + Ops::arena_size, taken.data()));
}

TEST_CASE("the average may be of another device and precision") {
  Network<Net> net{{.seed = 2}}, same_kind;
  Network<Net, Reference, Float64> other;
  {
    Trainer trainer{net, CrossEntropyLoss{}, moving_average(SGD{.lr = 0.1}, other, 0.9)};
    trainer.step(data);
    trainer.store_average();
  }
  same_kind = other;
  CHECK(same(weights(same_kind), weights(net)));  // after one step
}

TEST_CASE("the callbacks of fit see the average of the epoch") {
  Network<Net> net{{.seed = 2}}, averaged{{.seed = 9}};
  struct Watch {
    Network<Net>& averaged;
    std::vector<double> losses;
    void on_epoch_end(const EpochRecord&, const History&) {
      losses.push_back(evaluate(averaged, data, CrossEntropyLoss{}).loss);
    }
  } watch{averaged, {}};
  fit(net, data, CrossEntropyLoss{}, moving_average(Adam{.lr = 0.01}, averaged, 0.5), {.batch_size = 9, .epochs = 5},
      watch);
  REQUIRE(watch.losses.size() == 5);
  CHECK(watch.losses[4] < watch.losses[0]);
  CHECK(watch.losses[4] == evaluate(averaged, data, CrossEntropyLoss{}).loss);
}

TEST_CASE("a bad decay is refused with a message") {
  Network<Net> net;
  check_refused([&] { moving_average(SGD{}, net, 1).check(); }, {"moving_average", "decay = 1,", "less than 1"});
}

TEST_CASE("a network for the average that cannot have it is refused, also when it is assigned later") {
  Network<Net> net, averaged;
  Trainer trainer{net, CrossEntropyLoss{}, per_step(moving_average(SGD{.lr = 0.1}, averaged), StepLR{})};
  const std::vector<std::string> trained{"moving_average was given the network that is trained",
                                         "make a second network"};
  trainer.optimizer().averaged = &net;
  const auto start = weights(net);
  check_refused([&] { trainer.step(data); }, trained);
  check_refused([&] { trainer.store_average(); }, trained);
  check_refused([&] { fit(trainer, data, {.epochs = 1}); }, trained);
  CHECK(same(weights(net), start));
  trainer.optimizer().averaged = nullptr;
  check_refused([&] { trainer.step(data); }, {"moving_average was given no network", "make a second network"});
  trainer.optimizer().averaged = &averaged;
  trainer.step(data);
  trainer.store_average();

  Network<Net, Host, Float64> wide;
  wide.parameter("2.bias")[0] = 1e200;
  Trainer large{wide, CrossEntropyLoss{}, moving_average(SGD{.lr = 0.1}, averaged)};
  const auto before = weights(averaged);
  check_refused([&] { large.store_average(); },
                {"moving_average has a weight that is too large for the floats", "Float64"});
  CHECK(same(weights(averaged), before));
}
