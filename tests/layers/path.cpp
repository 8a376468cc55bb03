// SPDX-License-Identifier: MIT
#include "sinter/layers/path.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "sinter/sinter.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

struct Block : Path<Linear<6>, Tanh> {};
struct Nested : Sequential<Input<4>, Block, Path<Block, Path<>>, Path<Linear<3>, LogSoftmax>> {};
struct Flat : Sequential<Input<4>, Linear<6>, Tanh, Linear<6>, Tanh, Linear<3>, LogSoftmax> {};

static_assert(Layer<Block> && Block::accepts(features(4)) && !Block::accepts(image(1, 2, 2)));
static_assert(Program<Nested>::op_count == Program<Flat>::op_count && Nested::LayerTypes::size == 3);
static_assert(summary_of<Nested>.parameters == summary_of<Flat>.parameters);
static_assert(detail::CheckedLoss<Nested, CrossEntropyLoss>::found.applied_twice);  // looked at inside
static_assert(!detail::CheckedLoss<Nested, NLLLoss>::found.any());

/// Branches inside of branches: each level is asked for its shape once.
template <int Depth>
struct Level : Path<Concat<Path<Slice<0, 4>>, Path<Level<Depth - 1>>>, Linear<8>> {};
template <>
struct Level<0> : Path<Linear<8>> {};
struct Deep : Sequential<Input<8>, Level<12>> {};
static_assert(Deep::walk.accepted == 1 && Deep::walk.reached == features(8));

}  // namespace

TEST_CASE("parameters are named by their places, as PyTorch names them") {
  const char* const names[] = {"0.0.weight", "0.0.bias", "1.0.0.weight", "1.0.0.bias", "2.0.weight", "2.0.bias"};
  for (std::size_t i = 0; i < 6; ++i) CHECK(Program<Nested>::parameters[i].name == names[i]);
}

TEST_CASE("a model of blocks trains as its layers one by one, to the bit") {
  const auto x = inputs<Shape<4>>(40);
  std::vector<int> labels;
  for (std::size_t i = 0; i < 40; ++i) labels.push_back(x(i, 0) < 0 ? 0 : x(i, 1) < 0 ? 1 : 2);
  const Network<Nested> start{NetworkOptions{.seed = 3}};
  const auto train = [&]<class Net>(Net net) {
    std::copy_n(start.data(), Program<Nested>::arena_size,
                net.data());  // what is drawn depends on the place of a layer
    fit(net, dataset(x, labels), NLLLoss{}, Adam{.lr = 0.01}, {.batch_size = 7, .epochs = 5});
    return net;
  };
  const auto nested = train(Network<Nested>());
  const auto flat = train(Network<Flat>());
  static_assert(Program<Nested>::arena_size == Program<Flat>::arena_size);
  CHECK(std::memcmp(nested.data(), flat.data(), sizeof(float) * Program<Flat>::arena_size) == 0);
  CHECK(std::memcmp(nested.data(), start.data(), sizeof(float) * Program<Flat>::arena_size) != 0);
}
