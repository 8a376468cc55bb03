// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sinter/kernels/apply_optimizer.hpp"
#include "sinter/kernels/cuda/buffer.cuh"
#include "sinter/kernels/gpu/update.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// An optimizer's updates of some steps, in device memory: [steps][groups], and the group of each weight.
template <class Ops>
class Updates {
 public:
  explicit Updates(const Cuda& device) : updates_(device), group_of_(device) {}

  /// Adds those of `count` steps from `first` on.
  template <class Update, class Optimizer>
  static void add(std::vector<Update>& to, const UpdateStep<Optimizer>& first, std::size_t count) {
    using T = typename Update::Number;
    for (std::size_t i = 0; i < count; ++i) {
      const long at = first.step + static_cast<long>(i);
      if (first.factors.empty()) to.push_back(first.optimizer.template at<T>(at));
      for (const double factor : first.factors)
        to.push_back(with_rate_factor(first.optimizer, factor).template at<T>(at));
    }
  }
  template <class Update>
  const Update* upload(const std::vector<Update>& all, const std::vector<double>& factors) {
    static_assert(Ops::parameter_count < frozen, "sinter: a network on a GPU has at most 254 parameters");
    if (factors_ != factors) upload_groups(factors);
    factors_ = factors;
    return updates_.upload(all.data(), all.size());
  }

  template <class Update>
  Update* all() {
    return updates_.template reserve<Update>(0);
  }
  int groups() const { return factors_.empty() ? 1 : static_cast<int>(factors_.size()); }
  /// Null: all weights are in the only group.
  const std::uint8_t* group_of() { return factors_.empty() ? nullptr : group_of_.template reserve<std::uint8_t>(0); }
  std::size_t generation() const { return updates_.generation() + group_of_.generation(); }

 private:
  void upload_groups(const std::vector<double>& factors) {
    if (factors.empty()) return;
    std::vector<std::uint8_t> group_of(static_cast<std::size_t>(Ops::arena_size), frozen);
    for (std::size_t i = 0; i < factors.size(); ++i)
      if (factors[i] != 0)
        std::fill_n(group_of.begin() + Ops::parameters[i].offset, Ops::parameters[i].size,
                    static_cast<std::uint8_t>(i));
    group_of_.upload(group_of.data(), group_of.size());
  }

  Buffer updates_, group_of_;
  std::vector<double> factors_;
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
