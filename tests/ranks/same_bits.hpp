// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <initializer_list>
#include <mutex>
#include <vector>

#include "sinter/ranks/ranks.hpp"
#include "sinter/ranks/threads.hpp"
#include "sinter/train/fit.hpp"
#include "support/training.hpp"

/// Training over ranks against training on the plain host: the same bits for any number of them.
namespace sinter_test {

using sinter::internal::Communicator;
using sinter::internal::Host;
using sinter::internal::Network;
using sinter::internal::Ranks;
using sinter::internal::Threads;

/// All numbers of a network, buffers included.
template <class Net>
auto all_numbers(const Net& net) {
  return std::vector<typename Net::Scalar>(net.data(), net.data() + Net::Ops::storage_size);
}

/// train(net) returns numbers, such as losses: they and those of the network are the host's on each of so many ranks.
template <class Model, class Precision = sinter::internal::Float32, class Train>
void check_same_bits(Train&& train, std::initializer_list<int> rank_counts = {1, 2, 3, 4, 5, 7, 8, 16}) {
  Network<Model, Host, Precision> alone{{.seed = 7}};
  const std::vector<double> losses = train(alone);
  const auto expected = all_numbers(alone);
  for (const int ranks : rank_counts) {
    CAPTURE(ranks);
    std::mutex mutex;
    int right = 0;
    Threads(ranks).run([&](Communicator& world) {
      Network<Model, Ranks<Host>, Precision> net{{world, Host{.threads = 1 + world.rank() % 2}}, {.seed = 7}};
      const std::vector<double> own = train(net);
      const std::lock_guard lock(mutex);
      right += same(all_numbers(net), expected) && same(own, losses);
    });
    CHECK(right == ranks);
  }
}

}  // namespace sinter_test
