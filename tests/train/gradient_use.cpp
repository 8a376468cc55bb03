// SPDX-License-Identifier: MIT
// labels: threads
#include "sinter/network/gradient_use.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "sinter/data/disc.hpp"
#include "sinter/io/load.hpp"
#include "sinter/io/save.hpp"
#include "sinter/layers/activation.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/loss/cross_entropy.hpp"
#include "sinter/optimizer/adam.hpp"
#include "sinter/optimizer/sgd.hpp"
#include "sinter/train/fit.hpp"
#include "sinter/train/owning_trainer.hpp"
#include "support/error_of.hpp"

using namespace sinter::internal;

namespace {
struct Model : Sequential<Input<2>, Linear<8>, Tanh, Linear<2>> {};
static_assert(std::is_nothrow_move_constructible_v<Network<Model>> &&
              std::is_nothrow_move_assignable_v<Network<Model>>);

const std::string busy =
    "a network was to be trained while another thread is training it; train it on one thread at a "
    "time, or a copy of it on each";
const std::string gone =
    "the gradient that a Trainer has accumulated is gone: another Trainer of the same network has "
    "made a step since, or the network was given other weights; call update() or clear() before that, or train a copy "
    "of the network";

template <class Work>
void in_another_thread(Work work) {
  std::thread(work).join();
}
/// At the end of an epoch of a fit.
template <class Do>
struct AtEpochEnd {
  Do work;
  void on_epoch_end(const EpochRecord&, const History&) { work(); }
};
template <class Do>
AtEpochEnd(Do) -> AtEpochEnd<Do>;
}  // namespace

TEST_CASE_TEMPLATE("while fit trains a network, no other thread may", Device, Host, Reference) {
  const auto points = disc(20, 1);
  Network<Model, Device> net{{.seed = 1}}, alone{{.seed = 1}}, other = net;
  Trainer beside{net, CrossEntropyLoss{}, SGD{}};
  int times = 0;
  const auto attempts = [&] {
    in_another_thread([&] {
      CHECK(error_of([&] { beside.step(points); }) == busy);
      CHECK(error_of([&] { beside.accumulate(points); }) == busy);
      CHECK(error_of([&] { fit(net, points, CrossEntropyLoss{}, SGD{}); }) == busy);
      CHECK(score(net, points) >= 0);
      fit(other, points, CrossEntropyLoss{}, SGD{});  // another network
      ++times;
    });
  };
  fit(net, points, CrossEntropyLoss{}, SGD{.lr = 0.1}, {.epochs = 2}, AtEpochEnd{attempts});
  CHECK(times == 2);
  fit(alone, points, CrossEntropyLoss{}, SGD{.lr = 0.1}, {.epochs = 2});
  CHECK(std::equal(net.data(), net.data() + Program<Model>::arena_size, alone.data()));
  in_another_thread([&] { beside.step(points); });  // fit has ended
  CHECK(beside.steps() == 1);
}

TEST_CASE("many threads that train one network are refused, and none of them harms it") {
  const auto points = disc(200, 1);
  Network<Model> net;
  std::atomic<int> refused{0}, ended{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        const std::string error = error_of([&] { fit(net, points, CrossEntropyLoss{}, SGD{.lr = 0.01}); });
        CHECK((error == "(no error)" || error == busy));
        ++(error == busy ? refused : ended);
      }
    });
  for (auto& thread : threads) thread.join();
  CHECK(refused + ended == 80);
  CHECK(ended > 0);
}

TEST_CASE("a fit that fails sets the network free") {
  const auto points = disc(20, 1);
  Network<Model> net;
  struct Failing {
    void on_epoch_end(const EpochRecord&, const History&) { fail("enough"); }
  };
  CHECK(error_of([&] { fit(net, points, CrossEntropyLoss{}, SGD{}, {}, Failing{}); }) == "enough");
  in_another_thread([&] { CHECK(fit(net, points, CrossEntropyLoss{}, SGD{}).epochs.size() == 1); });
}

TEST_CASE("the Trainers of a network take turns by whole steps, and in a callback of fit") {
  const auto points = disc(20, 1);
  Network<Model> net, last;
  Trainer first{net, CrossEntropyLoss{}, SGD{.lr = 0.1}};
  Trainer second{net, CrossEntropyLoss{}, Adam{}};
  for (int i = 0; i < 3; ++i) {
    first.step(points);
    second.step(points);
    first.accumulate(points);
    first.accumulate(points);
    CHECK(first.update());
  }
  CHECK(first.steps() == 6);
  fit(net, points, CrossEntropyLoss{}, SGD{}, {}, AtEpochEnd{[&] { second.step(points); }});
  CHECK(second.steps() == 4);
}

TEST_CASE_TEMPLATE("a gradient that another Trainer has overwritten is neither used nor added to", Device, Host,
                   Reference) {
  const auto points = disc(20, 1);
  Network<Model, Device> net;
  Trainer first{net, CrossEntropyLoss{}, SGD{.lr = 0.1}}, second{net, CrossEntropyLoss{}, SGD{.lr = 0.1}};
  const auto overwritten = [&](auto&& by) {
    first.clear();
    first.accumulate(points);
    by();
    const Network<Model, Device> before = net;
    CHECK(error_of([&] { first.update(); }) == gone);
    CHECK(error_of([&] { first.accumulate(points); }) == gone);
    CHECK(std::equal(net.data(), net.data() + Program<Model>::arena_size, before.data()));
  };
  overwritten([&] { second.step(points); });
  overwritten([&] { second.accumulate(points); });
  CHECK(second.update());
  overwritten([&] { fit(net, points, CrossEntropyLoss{}, SGD{}); });
  const Tensor<float, Shape<2>> x(3), dy(3);
  overwritten([&] {
    second.forward(x);
    second.backward(dy);
  });
  overwritten([&] { load(net, save_bytes(net)); });
  const Network<Model> other(NetworkOptions{.seed = 9});
  overwritten([&] { net.from_host(other.to_host()); });
  overwritten([&] { net = Network<Model, Device>{{.seed = 8}}; });
  const Network<Model, Host, Float64> in_double(NetworkOptions{.seed = 7});
  overwritten([&] { net = in_double; });
  first.clear();
  first.accumulate(points);
  CHECK(first.update());
}

TEST_CASE("a batch goes back through the weights that it went forward through, or not at all") {
  const auto points = disc(20, 1);
  const Tensor<float, Shape<2>> x(3), dy(3);
  Network<Model> net;
  Trainer trainer{net, SGD{.lr = 0.1}};
  Trainer other{net, CrossEntropyLoss{}, SGD{.lr = 0.1}};
  const auto refused = [&](auto&& change) {
    trainer.clear();
    trainer.forward(x);
    change();
    CHECK(error_of([&] { trainer.backward(dy); }) ==
          "backward(dy) was called for a batch that went forward through other weights: another Trainer of the network "
          "has made a step since, or the network was given other weights; call forward(x) again after that");
    trainer.forward(x);
    trainer.backward(dy);
    CHECK(trainer.update());
  };
  refused([&] { other.step(points); });
  refused([&] {
    other.accumulate(points);
    other.update();
  });
  refused([&] { fit(net, points, CrossEntropyLoss{}, SGD{}); });
  refused([&] { load(net, save_bytes(net)); });
  refused([&] { net.from_host(Network<Model>{{.seed = 9}}.to_host()); });
  refused([&] { net = Network<Model>{{.seed = 8}}; });
  trainer.forward(x);
  score(net, points);  // which changes nothing
  other.accumulate(points);
  trainer.backward(dy);
  CHECK(trainer.update());
  CHECK(error_of([&] { other.update(); }) == gone);
}

TEST_CASE("a Trainer that goes forward and back after a fit makes its update") {
  const auto points = disc(20, 1);
  const Tensor<float, Shape<2>> x(3), dy(3);
  Network<Model> net;
  fit(net, points, CrossEntropyLoss{}, SGD{});
  Trainer trainer{net, SGD{.lr = 0.1}};
  trainer.forward(x);
  trainer.backward(dy);
  CHECK(trainer.update());
  fit(net, points, CrossEntropyLoss{}, SGD{}, {}, AtEpochEnd{[&] {
        in_another_thread([&] {
          CHECK(error_of([&] { trainer.forward(x); }) == busy);
          CHECK(error_of([&] { trainer.backward(dy); }) == busy);
        });
      }});
}

TEST_CASE("a copy continues from the gradient so far") {
  const auto points = disc(20, 1);
  OwningTrainer training{Network<Model>{}, CrossEntropyLoss{}, SGD{.lr = 0.1}};
  training->accumulate(points);
  auto copy = training;
  CHECK(training->update());
  CHECK(copy->update());
  const float* const parameters = training.network().data();
  CHECK(std::equal(parameters, parameters + Program<Model>::arena_size, copy.network().data()));
}
