// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/macros.hpp"
#include "sinter/train/check_loss.hpp"

SINTER_NAMESPACE_BEGIN

template <class Net, class Loss, class Optimizer>
class Trainer;

/// One without an optimizer, or with one before the loss: refused, in words. What is called on it causes no further
/// message.
template <class Net, class Loss, class Optimizer>
  requires(!detail::IsOptimizer<Optimizer>)
class Trainer<Net, Loss, Optimizer> {
 public:
  template <class... Given>
  explicit Trainer(const Given&...) {
    check_is_optimizer<Optimizer>();
  }
  typename Net::Scalar step(const auto&...) { return 0; }
  typename Net::Scalar accumulate(const auto&...) { return 0; }
  void backward(const auto&...) {}
  bool update() { return false; }
};

SINTER_NAMESPACE_END
