// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cstddef>
#include <sinter/io.hpp>
#include <sinter/sinter.hpp>
#include <string>
#include <vector>

#include "support/training.hpp"

using namespace sinter;
using namespace sinter_test;

namespace {
struct Tower : Shared<Linear<6>, ReLU, Linear<3>> {};
struct Siamese : Sequential<Input<8>, Concat<Path<Slice<0, 4>, Tower>, Path<Slice<4, 4>, Tower>>, Linear<1>> {};
}  // namespace

TEST_CASE("shared weights are saved once and loaded for every place") {
  const Network<Siamese> net{{.seed = 3}};
  Network<Siamese> other{{.seed = 4}};
  const Loaded loaded = load(other, save_bytes(net));
  CHECK(loaded.taken == std::vector<std::string>{"0.0.1.0.weight", "0.0.1.0.bias", "0.0.1.2.weight", "0.0.1.2.bias",
                                                 "1.weight", "1.bias"});
  CHECK(same(weights(other), weights(net)));
}

TEST_CASE("describe and summary count them once") {
  const Network<Siamese> net;
  CHECK(summary_of<Siamese>.parameters == 6 * 4 + 6 + 3 * 6 + 3 + 6 + 1);
  CHECK(describe(net, 64).find("matmul 4->6") != std::string::npos);
}
