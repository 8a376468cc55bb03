// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <type_traits>

#include "sinter/core/tensor.hpp"
#include "sinter/loss/supplied.hpp"
#include "sinter/network/network.hpp"
#include "sinter/train/check.hpp"
#include "sinter/train/check_loss.hpp"

SINTER_NAMESPACE_BEGIN

template <class Net, class Loss, class Optimizer>
class Trainer;

namespace detail {
/// An argument that a Trainer cannot keep a pointer to, such as a temporary network.
struct NoNetwork;
}  // namespace detail

/// A Trainer without a network or an optimizer, or with them in another order: refused with a message. Calls on it
/// cause no further message.
template <class Net, class Loss, class Optimizer>
  requires(!detail::IsOptimizer<Optimizer> || !detail::IsNetwork<Net>)
class Trainer<Net, Loss, Optimizer> {
  using Known = std::conditional_t<detail::IsNetwork<Net>, Net, Network<detail::NoModel>>;

 public:
  using Scalar = typename Known::Scalar;

  template <class... Given>
  explicit Trainer(const Given&...) {
    if constexpr (check_is_network<Net>()) check_is_optimizer<Optimizer>();
  }
  Scalar step(const auto&...) { return 0; }
  Scalar accumulate(const auto&...) { return 0; }
  Tensor<Scalar, typename Known::OutputRow> forward(const auto&...) { return {}; }
  void backward(const auto&...) {}
  bool update() { return false; }
  void set_rate_factor(const auto&...) {}
  void freeze(const auto&...) {}
  void store_average() {}
  void clear() {}
  std::string problem() const { return {}; }
  long steps() const { return 0; }
  double rate() const { return 0; }
  Scalar loss() const { return 0; }
  bool has_gradient() const { return false; }
  Known& network() const;
  Optimizer& optimizer() const;
};

SINTER_NAMESPACE_END
