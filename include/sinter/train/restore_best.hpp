// SPDX-License-Identifier: MIT
#pragma once

#include <limits>
#include <vector>

#include "sinter/train/callbacks.hpp"

SINTER_NAMESPACE_BEGIN

/// A callback that keeps the parameters of the epoch with the least validation loss (training loss where nothing is
/// validated), and gives them back to the network when training ends.
///
///     fit(net, train, loss, optimizer, {.epochs = 50, .validation = &test}, RestoreBest{net}, EarlyStopping{});
template <class Net>
class RestoreBest {
 public:
  explicit RestoreBest(Net& net) : net_(&net) {}

  /// The epoch whose parameters are kept; 0: none yet.
  int epoch() const { return epoch_; }
  double loss() const { return loss_; }

  /// fit() calls it, with the network that it trains.
  void check_network(const void* trained) const {
    if (trained != net_)
      fail(
          "fit was given a RestoreBest of another network than the one that it trains; make it of that one: "
          "fit(net, .., RestoreBest{net})");
  }
  void on_begin(const TrainingInfo& info) {
    validates_ = info.validates;
    epoch_ = 0;
    loss_ = std::numeric_limits<double>::max();
  }
  void on_epoch_end(const EpochRecord& record, const History&) {
    const double& loss = record.judged_loss(validates_);
    if (!is_finite(loss) || loss >= loss_) return;
    loss_ = loss;
    epoch_ = record.epoch;
    const auto& now = net_->to_host();
    best_.assign(now.data(), now.data() + now.size());
  }
  void on_end(const History&) {
    if (epoch_ > 0) net_->from_host(best_);
  }
  void keep_state(KeptNumbers& keep) {
    keep.of("RestoreBest");
    keep(epoch_);
    keep(loss_);
    keep(best_);
  }

 private:
  Net* net_;
  bool validates_ = false;
  int epoch_ = 0;
  double loss_ = std::numeric_limits<double>::max();
  std::vector<typename Net::Scalar> best_;
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::RestoreBest;
}  // namespace sinter
