// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <map>
#include <sinter/sinter.hpp>
#include <utility>
#include <vector>

namespace {

using sinter::internal::host_kernels::Part;

struct Watched : sinter::isa::Portable {};
std::map<std::pair<Part, int>, int> calls;

}  // namespace

SINTER_NAMESPACE_BEGIN

template <>
struct host_kernels::Watch<Watched> {
  explicit Watch(Part part, int stage = 0) { ++calls[{part, stage}]; }
};

SINTER_NAMESPACE_END

namespace {

using namespace sinter::internal;

struct Images : Sequential<Input<1, 6, 6>, Conv2d<2, 3>, ReLU, Dropout<0.5>, Flatten, Linear<3>> {};
struct Perceptron : Sequential<Input<36>, Linear<6>, ReLU, Linear<3>> {};

/// Calls in one step on 9 rows: three tiles of 4 lanes.
template <class Model>
void step() {
  Network<Model, HostFor<Watched>> net{HostFor<Watched>{.threads = 1}, {.seed = 1}};
  Tensor<float, typename Network<Model>::InputRow> x(9);
  Trainer trainer{net, CrossEntropyLoss{}, SGD{.lr = 0.1}};
  calls.clear();
  trainer.step(x, std::vector<int>(9, 1));
}

}  // namespace

TEST_CASE("a watch is at every part of a step: tile by tile") {
  step<Images>();
  for (const int stage : {0, 1}) CHECK(calls[{Part::forward, stage}] == 3);
  CHECK(calls[{Part::both_gradients, 0}] == 3);  // three in four are zero
  CHECK(calls[{Part::weight_gradient, 1}] == 3);
  CHECK(calls[{Part::input_gradient, 1}] == 3);
  CHECK(calls[{Part::load, 0}] == 3);
  CHECK(calls[{Part::masks, 0}] == 3);
  CHECK(calls[{Part::loss, 0}] == 3);
  CHECK(calls[{Part::slot_sums, 0}] > 0);
  CHECK(calls[{Part::gradient_sum, 0}] == 1);
  CHECK(calls[{Part::soundness, 0}] == 1);
  CHECK(calls[{Part::update, 0}] == 1);
}

TEST_CASE("and by the plan layer: products of all tiles at once") {
  step<Perceptron>();
  for (const int stage : {0, 1}) {
    CAPTURE(stage);
    CHECK(calls[{Part::forward, stage}] == 1);
    CHECK(calls[{Part::input_gradient, stage}] == (stage == 0 ? 0 : 1));
    CHECK(calls[{Part::batch_gradient, stage}] > 0);
  }
  CHECK(calls[{Part::load, 0}] == 3);
  CHECK(calls[{Part::loss, 0}] == 3);
  CHECK(calls[{Part::update, 0}] == 1);
}
