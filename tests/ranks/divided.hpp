// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "sinter/loss/cross_entropy.hpp"
#include "sinter/optimizer/sgd.hpp"
#include "sinter/ranks/threads.hpp"
#include "sinter/train/fit.hpp"
#include "support/error_of.hpp"

/// Networks of which a rank has some of the weights.
namespace sinter_test {

/// The numbers of all ranks. All call it.
template <class Net>
std::vector<typename Net::Scalar> all_of(const Net& net) {
  const auto values = net.to_host();
  return {values.data(), values.data() + values.size()};
}

/// A training that would overflow stops on two ranks with the same text, and with finite weights.
template <class Net>
void check_stops_alike(const auto& data) {
  std::string stopped[2];
  sinter::internal::Threads(2).run([&](sinter::internal::Communicator& world) {
    Net net{{world}, {.seed = 7}};
    stopped[world.rank()] = fit(net, data, sinter::internal::CrossEntropyLoss{}, sinter::internal::SGD{.lr = 3e38},
                                {.batch_size = 20, .epochs = 3})
                                .stopped;
    for (const float number : all_of(net))
      if (!std::isfinite(number)) throw std::runtime_error("a weight is not finite");
  });
  CHECK(has(stopped[0], "not finite"));
  CHECK(stopped[0] == stopped[1]);
}

}  // namespace sinter_test
