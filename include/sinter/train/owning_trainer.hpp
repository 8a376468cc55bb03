// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <memory>
#include <utility>

#include "sinter/train/trainer.hpp"

SINTER_NAMESPACE_BEGIN

/// A network and its Trainer in one value, for a member of a class or an element of a vector. A copy is another
/// network, trained on from the state of this one; a move leaves both at their addresses. One that was moved from may
/// only be assigned to or destroyed.
///
///     OwningTrainer training{Network<Disc>{}, CrossEntropyLoss{}, Adam{.lr = 0.01}};
///     training->step(x, labels);
///     training.network().forward(x, workspace);
template <class Net, class Loss, class Optimizer>
class OwningTrainer {
 public:
  OwningTrainer(Net net, Loss loss, Optimizer optimizer)
      : pair_(std::make_unique<Pair>(std::move(net), loss, optimizer)) {}
  OwningTrainer(Net net, Optimizer optimizer)
    requires std::same_as<Loss, SuppliedGradient>
      : OwningTrainer(std::move(net), SuppliedGradient{}, optimizer) {}
  OwningTrainer(const OwningTrainer& other) : pair_(std::make_unique<Pair>(*other.pair_)) {}
  OwningTrainer(OwningTrainer&&) noexcept = default;
  OwningTrainer& operator=(OwningTrainer other) noexcept {
    pair_ = std::move(other.pair_);
    return *this;
  }

  Net& network() { return pair_->net; }
  const Net& network() const { return pair_->net; }
  Trainer<Net, Loss, Optimizer>& trainer() { return pair_->trainer; }
  const Trainer<Net, Loss, Optimizer>& trainer() const { return pair_->trainer; }
  Trainer<Net, Loss, Optimizer>* operator->() { return &pair_->trainer; }
  const Trainer<Net, Loss, Optimizer>* operator->() const { return &pair_->trainer; }

 private:
  struct Pair {
    Net net;
    Trainer<Net, Loss, Optimizer> trainer;
    Pair(Net given, const Loss& loss, const Optimizer& optimizer)
        : net(std::move(given)), trainer(net, loss, optimizer) {}
    Pair(const Pair& other) : net(other.net), trainer(net, other.trainer) {}
  };
  std::unique_ptr<Pair> pair_;
};

template <class Net, class Optimizer>
  requires requires { Optimizer::states; }
OwningTrainer(Net, Optimizer) -> OwningTrainer<Net, SuppliedGradient, Optimizer>;

SINTER_NAMESPACE_END

namespace sinter {
using internal::OwningTrainer;
}  // namespace sinter
