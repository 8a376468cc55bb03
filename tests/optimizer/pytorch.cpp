// SPDX-License-Identifier: MIT
// labels: optimised
// Ten steps of each optimizer against PyTorch (tests/fixtures/README.md).
#include <doctest/doctest.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "sinter/optimizer/adagrad.hpp"
#include "sinter/optimizer/adam.hpp"
#include "sinter/optimizer/adamw.hpp"
#include "sinter/optimizer/clip_grad.hpp"
#include "sinter/optimizer/lion.hpp"
#include "sinter/optimizer/moving_average.hpp"
#include "sinter/optimizer/rmsprop.hpp"
#include "sinter/optimizer/sgd.hpp"
#include "sinter/train/gradient_norm.hpp"
#include "support/close.hpp"
#include "support/safetensors.hpp"

using namespace sinter::internal;
using sinter_test::Safetensors;

namespace {

/// The weights after each of ten steps, or the last state of the optimizer in their place.
template <class T, class Optimizer>
std::vector<T> path(const Safetensors& all, const Optimizer& optimizer, bool last_state) {
  auto weights = all.values<T>("initial"), gradients = all.values<T>("gradients");
  const std::size_t n = weights.size();
  std::vector<T> state(n * static_cast<std::size_t>(Optimizer::states)), after;
  for (std::size_t step = 0; step < 10; ++step) {
    std::vector<T> gradient(gradients.data() + step * n, gradients.data() + (step + 1) * n);
    if constexpr (ClipsNorm<Optimizer>) {
      double square = 0;
      for (const T g : gradient) square += static_cast<double>(g) * static_cast<double>(g);
      for (T& g : gradient) g *= static_cast<T>(detail::clip_coefficient(std::sqrt(square), optimizer.max_norm));
    }
    optimizer.step(weights, gradient, state, static_cast<long>(step));
    const T* from = last_state ? state.data() + state.size() - n : weights.data();
    after.insert(after.end(), from, from + n);
  }
  return after;
}
struct SomeNetwork {};

}  // namespace

TEST_CASE("ten steps of each optimizer give the numbers of PyTorch") {
  const Safetensors all(std::string(SINTER_FIXTURES) + "/optimizers.safetensors");
  std::size_t tensors = 2;
  const auto check = [&](const std::string& name, const auto& optimizer, bool last_state = false) {
    CAPTURE(name);
    const auto want = all.values<double>(name);
    CHECK(closeness::relative_error(path<double>(all, optimizer, last_state), want) < 6e-8);  // rounded to float
    CHECK(closeness::relative_error(path<float>(all, optimizer, last_state), want) < 2e-6);
    ++tensors;
  };
  const SGD sgd{.lr = 0.1, .momentum = 0.9};
  check("sgd", sgd);
  check("adam", Adam{.lr = 0.1, .weight_decay = 0.1});
  check("adamw", AdamW{.lr = 0.1});
  check("adamw_all", AdamW{.lr = 0.1, .beta1 = 0.8, .beta2 = 0.9, .epsilon = 1e-3, .weight_decay = 0.1});
  check("rmsprop", RMSprop{});
  check("rmsprop_all",
        RMSprop{.lr = 0.1, .alpha = 0.9, .epsilon = 1e-3, .weight_decay = 0.1, .momentum = 0.5, .centered = true});
  check("adagrad", Adagrad{.lr = 0.1});
  check("adagrad_all",
        Adagrad{.lr = 0.1, .lr_decay = 0.1, .weight_decay = 0.1, .initial_accumulator_value = 0.5, .epsilon = 1e-3});
  check("lion", Lion{.lr = 0.1});
  check("lion_all", Lion{.lr = 0.1, .beta1 = 0.8, .beta2 = 0.9, .weight_decay = 0.1});
  check("sgd_clip_norm", clip_grad_norm(sgd, 2));
  check("sgd_clip_value", clip_grad_value(sgd, 0.5));
  SomeNetwork averaged;
  check("adam_average", moving_average(Adam{.lr = 0.1}, averaged, 0.9), true);
  CHECK(tensors == all.tensors().size());  // no case was forgotten
}
