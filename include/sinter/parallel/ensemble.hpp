// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/network/model_of.hpp"
#include "sinter/network/network.hpp"
#include "sinter/parallel/each_member.hpp"

SINTER_NAMESPACE_BEGIN

/// Where fit() of an Ensemble is declared: it is found by its argument, and is no candidate where a network is trained.
namespace ensembles {
struct Functions {};
}  // namespace ensembles

/// Many independent networks of one model on one device, which `fit` trains side by side: on a GPU in one launch, a
/// block for each, on the host a thread for each; on Ranks, a rank for each. Members are ordinary networks.
///
///     Ensemble<Mlp, Cuda> nets(132, {.seed = 1});
///     auto histories = fit(nets, train, CrossEntropyLoss{}, SGD{.lr = 0.05}, {.batch_size = 32, .epochs = 10});
///     Network<Mlp> best;
///     best = nets[7];
template <class ModelType, class Device = Host, class Precision = Float32, class Distinct = detail::ModelOf<ModelType>>
class Ensemble : ensembles::Functions {
 public:
  using Member = Network<ModelType, detail::MemberDevice<Device>, Precision>;

  /// `size` members, the first with the seed of the options, the next with one more, and so on.
  template <std::integral Size>
  explicit Ensemble(Size size, NetworkOptions options = {}) : Ensemble(Device{}, size, options) {}
  template <std::integral Size>
  Ensemble(Device device, Size size, NetworkOptions options = {}) : device_(std::move(device)) {
    settle();
    check_size(static_cast<std::int64_t>(size));
    for (Size m = 0; m < size; ++m, ++options.seed) members_.emplace_back(device_, options);
  }
  /// A member for each seed; the same seed gives the same initial weights, order of rows, and masks.
  Ensemble(Device device, std::span<const std::uint64_t> seeds, Initialization initialization = Initialization::pytorch)
      : device_(std::move(device)) {
    settle();
    check_size(static_cast<std::int64_t>(seeds.size()));
    for (const std::uint64_t seed : seeds) members_.emplace_back(device_, NetworkOptions{seed, initialization});
  }
  Ensemble(Device device, std::initializer_list<std::uint64_t> seeds,
           Initialization initialization = Initialization::pytorch)
      : Ensemble(std::move(device), std::span(seeds.begin(), seeds.size()), initialization) {}

  const Device& device() const { return device_; }
  std::size_t size() const { return members_.size(); }
  Member& operator[](std::size_t m) { return members_[m]; }
  const Member& operator[](std::size_t m) const { return members_[m]; }
  auto begin() { return members_.begin(); }
  auto end() { return members_.end(); }
  auto begin() const { return members_.begin(); }
  auto end() const { return members_.end(); }

 private:
  static constexpr std::int64_t most = 1 << 20;  // a larger number is a mistake that would fill the memory
  static void check_size(std::int64_t size) {
    if (size < 1 || size > most)
      fail("an ensemble of " + std::to_string(size) + " networks was asked for; ask for 1 to " + std::to_string(most));
  }
  void settle() {
    if constexpr (requires { device_.settle(); }) device_.settle();
  }

  Device device_;
  std::vector<Member> members_;
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::Ensemble;
}  // namespace sinter
