// SPDX-License-Identifier: MIT
// labels: threads
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "sinter/data/disc.hpp"
#include "sinter/layers/activation.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/loss/cross_entropy.hpp"
#include "sinter/optimizer/sgd.hpp"
#include "sinter/train/fit.hpp"

using namespace sinter::internal;

namespace {
struct Model : Sequential<Input<2>, Linear<64>, Tanh, Linear<2>> {};

/// The result of work in a child process, which a signal ends after some seconds.
template <class Work>
int status_of_child(Work&& work) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    int status = 1;
    work(status);
    _exit(status);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}
}  // namespace

TEST_CASE("the child of a fork ends devices of its parent, and trains on them") {
  const auto points = disc(300, 1);
  const auto learn = [&](Network<Model>& net) {
    fit(net, points, CrossEntropyLoss{}, SGD{.lr = 0.1}, {.batch_size = 100, .epochs = 2});
  };
  Network<Model> expected{{.seed = 3}};
  learn(expected);

  auto net = std::make_unique<Network<Model>>(Host{.threads = 3}, NetworkOptions{.seed = 3});
  const int status = status_of_child([&](int& result) {
    learn(*net);
    const bool same = std::equal(expected.data(), expected.data() + 64, net->data());
    net.reset();  // the last of its device

    Network<Model> own{Host{.threads = 2}, {.seed = 3}};  // with threads of the child's
    learn(own);
    result = same && std::equal(expected.data(), expected.data() + 64, own.data()) ? 0 : 2;
  });
  CHECK(status == 0);

  learn(*net);  // nothing has happened to the parent
  CHECK(std::equal(expected.data(), expected.data() + 64, net->data()));
}

TEST_CASE("a child that leaves at once") {
  const Host host{.threads = 2};
  int sum = 0;
  host.pool.run(2, [&](int, int item) {
    if (item == 0) ++sum;
  });
  CHECK(status_of_child([&](int& result) {
          {
            const Host gone = host;
          }
          result = 0;
        }) == 0);
}
