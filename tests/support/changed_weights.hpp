// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "sinter/loss/mse.hpp"
#include "sinter/network/network.hpp"
#include "sinter/optimizer/sgd.hpp"
#include "sinter/train/trainer.hpp"
#include "support/training.hpp"

namespace sinter_test {

/// After its weights have changed, a network gives, bit for bit, what a new one with these weights does.
template <class Model>
void check_changed_weights() {
  using namespace sinter;
  using Net = Network<Model>;
  constexpr std::size_t rows = 23;
  const auto x = inputs<typename Net::InputRow>(rows);
  const auto dy = inputs<typename Net::OutputRow>(rows, 0.5, 2);
  Net net(NetworkOptions{.seed = 3}), before(NetworkOptions{.seed = 3}), after(NetworkOptions{.seed = 4});
  const auto change = [&](const Net& from) { std::copy_n(from.data(), Net::Ops::arena_size, net.data()); };
  const auto gradient = [](Net& of) {
    const float* const numbers = of.gradient().data();
    return std::vector<float>(numbers, numbers + Net::Ops::arena_size);
  };

  SUBCASE("forward") {
    auto workspace = net.workspace(rows), fresh = after.workspace(rows);
    const auto values = [](const auto& y) { return std::vector<float>(y.data, y.row(y.rows)); };
    net.forward(x, workspace);
    change(after);
    CHECK(same(values(net.forward(x, workspace)), values(after.forward(x, fresh))));
  }
  SUBCASE("forward and backward(dy)") {
    const auto all = [&](auto& trainer) {
      Tensor<float, typename Net::InputRow> dx;
      trainer.clear();
      std::vector<float> numbers;
      const auto append = [&](const auto& more) { numbers.insert(numbers.end(), more.begin(), more.end()); };
      append(trainer.forward(x).values());
      trainer.backward(dy, &dx);
      append(dx.values());
      append(gradient(trainer.network()));
      return numbers;
    };
    Trainer trainer{net, SGD{.lr = 0.1}}, fresh{after, SGD{.lr = 0.1}};
    all(trainer);
    change(after);
    CHECK(same(all(trainer), all(fresh)));
  }
  SUBCASE("two batches of an update") {
    Trainer trainer{net, MSELoss{}, SGD{.lr = 0.1}};
    trainer.accumulate(x, dy);
    change(after);
    trainer.accumulate(x, dy);
    for (Net* one : {&before, &after}) Trainer{*one, MSELoss{}, SGD{.lr = 0.1}}.accumulate(x, dy);
    std::vector<float> mean = gradient(before);
    std::transform(mean.begin(), mean.end(), gradient(after).begin(), mean.begin(),
                   [](float a, float b) { return (a + b) / 2; });
    CHECK(same(gradient(net), mean));
  }
}

}  // namespace sinter_test
