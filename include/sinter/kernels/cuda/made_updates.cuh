// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "sinter/kernels/cuda/launch.cuh"
#include "sinter/kernels/cuda/updates.cuh"
#include "sinter/kernels/gpu/make_updates.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// An optimizer in device memory, which computes the updates of a step on the device. A factor 1 changes no bit of a
/// rate.
template <class Ops>
class MadeUpdates {
 public:
  explicit MadeUpdates(const Cuda& device) : device_(device), optimizer_(device), factors_(device), updates_(device) {}

  template <class T, class Optimizer>
  void send(const UpdateStep<Optimizer>& update) {
    using Update = typename Optimizer::template Update<T>;
    const std::vector<double> factors = update.factors.empty() ? std::vector<double>{1} : update.factors;
    optimizer_.upload(&update.optimizer, 1);
    factors_.upload(factors.data(), factors.size());
    updates_.upload(std::vector<Update>(factors.size(), update.optimizer.template at<T>(0)), update.factors);
  }
  template <class T, class Optimizer>
  Updates<Ops>& make(const StepStatus* status) {
    launch<MakeUpdates<Optimizer, T>>(
        device_,
        {status, optimizer_.template reserve<Optimizer>(0), factors_.template reserve<double>(0), updates_.groups(),
         updates_.template all<typename Optimizer::template Update<T>>()},
        1);
    return updates_;
  }

 private:
  Cuda device_;
  Buffer optimizer_, factors_;
  Updates<Ops> updates_;
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
