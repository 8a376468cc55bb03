// SPDX-License-Identifier: MIT
// labels: cuda large gpu sanitized
#include <doctest/doctest.h>

#include <sinter/io.hpp>
#include <string>
#include <utility>
#include <vector>

#include "data/temporary_folder.hpp"
#include "sinter/sinter.cuh"
#include "support/error_of.hpp"
#include "support/fake_cuda/fake_cuda.hpp"
#include "support/training.hpp"

using namespace sinter;
using namespace sinter_test;

namespace {
struct Net : Sequential<Input<5>, Linear<4>, Tanh, Linear<3>> {};
struct OtherActivation : Sequential<Input<5>, Linear<4>, Sigmoid, Linear<3>> {};
}  // namespace

TEST_CASE("a network on a GPU is saved and loaded, and replays the self-test there") {
  fake_cuda::reset();
  {
    const Network<Net, Cuda> net{{.seed = 3}};
    const auto file = save_bytes(net);
    Network<Net, Cuda> other{{.seed = 4}};
    CHECK(load(other, file).self_tested);
    Network<Net> on_host{{.seed = 5}};
    CHECK(load(on_host, file).self_tested);
    CHECK(same(weights(on_host), weights(Network<Net>{{.seed = 3}})));
    on_host = other;
    CHECK(same(weights(on_host), weights(Network<Net>{{.seed = 3}})));

    Network<OtherActivation, Cuda> wrong{{.seed = 6}};
    CHECK(has(error_of([&] { load(wrong, file); }), "the self-test of the safetensors data failed"));
    Network<OtherActivation> as_before;
    as_before = wrong;
    CHECK(same(weights(as_before), weights(Network<OtherActivation>{{.seed = 6}})));
  }
  CHECK(fake_cuda::counters().live_allocations == 0);
}

TEST_CASE("a training on a GPU continues from a checkpoint, bit for bit") {
  fake_cuda::reset();
  const TemporaryFolder folder;
  const auto x = inputs<Shape<5>>(20);
  const auto labels = labels_for(20, 3);
  const auto after = [&](int steps, bool resuming, const std::string& to) {
    Network<Net, Cuda> net{{.seed = 3}};
    Trainer trainer{net, CrossEntropyLoss{}, Adam{.lr = 0.1}};
    if (resuming) resume(trainer, folder / "run");
    for (int i = 0; i < steps; ++i) trainer.step(x, labels);
    if (!to.empty()) save_checkpoint(trainer, to);
    Network<Net> on_host;
    on_host = net;
    return weights(on_host);
  };
  const auto in_one_go = after(5, false, "");
  const auto first = after(2, false, folder / "run");
  CHECK(!same(first, in_one_go));
  CHECK(same(after(3, true, ""), in_one_go));
  CHECK(fake_cuda::counters().live_allocations == 0);
}

TEST_CASE("a fit on a GPU that was stopped continues after the steps that the device had made, bit for bit") {
  fake_cuda::reset();
  const TemporaryFolder folder;
  const auto x = inputs<Shape<5>>(20);
  const auto labels = labels_for(20, 3);
  struct StopAfter {
    int batches;
    bool on_batch_end(const BatchInfo&) { return --batches != 0; }
  };
  const auto fitted = [&](int batches, auto&&... callbacks) {
    Network<Net, Cuda> net{NetworkOptions{.seed = 3}};
    History history = fit(net, dataset(x, labels), CrossEntropyLoss{}, Adam{.lr = 0.1}, {.batch_size = 3, .epochs = 3},
                          StopAfter{batches}, callbacks...);
    Network<Net> on_host;
    on_host = net;
    return std::pair{weights(on_host), history};
  };
  const auto whole = fitted(0);
  for (const long every : {0L, 2L}) {
    const Checkpoint checkpoint{.path = folder / "run" + std::to_string(every), .every = every, .resume = true};
    const auto first = fitted(9, Checkpoint{checkpoint});
    CHECK(first.second.stopped == "a callback asked for it (after 6 rows of epoch 2)");
    CHECK(first.second.epochs.size() == 1);
    CHECK(!same(first.first, whole.first));
    const auto second = fitted(0, Checkpoint{checkpoint});
    CHECK(same(second.first, whole.first));
    REQUIRE(second.second.epochs.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) CHECK(second.second.epochs[i].train_loss == whole.second.epochs[i].train_loss);
  }
}

TEST_CASE("an ensemble on a GPU continues from its checkpoints, bit for bit") {
  fake_cuda::reset();
  const TemporaryFolder folder;
  const auto x = inputs<Shape<5>>(20);
  const auto labels = labels_for(20, 3);
  const auto fitted = [&](int epochs, auto&&... callbacks) {
    Ensemble<Net, Cuda> nets(3, {.seed = 3});
    const auto histories = fit(nets, dataset(x, labels), CrossEntropyLoss{}, Adam{.lr = 0.1},
                               {.batch_size = 3, .epochs = epochs}, callbacks...);
    std::vector<float> all;
    for (std::size_t m = 0; m < 3; ++m) {
      Network<Net> on_host;
      on_host = nets[m];
      const auto own = weights(on_host);
      all.insert(all.end(), own.begin(), own.end());
      for (const EpochRecord& epoch : histories[m].epochs) all.push_back(static_cast<float>(epoch.train_loss));
    }
    return all;
  };
  const auto in_one_go = fitted(4, Checkpoint{.path = folder / "whole"});
  const Checkpoint checkpoint{.path = folder / "run", .resume = true};
  CHECK_FALSE(same(fitted(2, checkpoint), in_one_go));
  CHECK(same(fitted(4, checkpoint), in_one_go));
  CHECK(fake_cuda::counters().live_allocations == 0);
}
