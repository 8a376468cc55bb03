// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

#include "sinter/core/error.hpp"
#include "sinter/device/engine.hpp"
#include "sinter/device/host.hpp"
#include "sinter/ranks/column_parallel_engine.hpp"
#include "sinter/ranks/column_units.hpp"
#include "sinter/ranks/communicator.hpp"
#include "sinter/ranks/divided_device.hpp"
#include "sinter/ranks/stages.hpp"

SINTER_NAMESPACE_BEGIN

/// A device that every rank makes, and that divides wide layers of a model: ColumnParallel<At<1, 3>, 4> cuts the layers
/// 1 and 3, each a Linear or an Embedding, into 4 parts by their columns, the outputs of the Linear and the numbers in
/// a row of the Embedding. Each rank has the weights, gradients and optimizer's state of its parts alone.
///
///     Network<Net, ColumnParallel<At<1, 3>, 4>> net{{world, Host{.threads = 2}}, {.seed = 1}};
///
/// All ranks make the same calls with the same data and options; `world` must outlive the network. With fewer ranks
/// than parts, a rank has several; without a `world`, there is one rank. Other layers, and the activations of all, are
/// on every rank, and each computes them for the whole batch.
///
/// Outputs are those of the undivided network, bit for bit. Where a model consists of Linear layers, activations
/// without weights, dropout and divided Embeddings, so are the weights after any number of steps, and the losses but
/// for the rounding of their sum in double. The bits of other models depend on which layers are divided, never on the
/// numbers of parts, ranks and threads.
template <class Wide, int Parts, class Device = Host>
struct ColumnParallel : detail::DividedDevice<Device> {
  using OfMembers = ColumnParallel;

  ColumnParallel() = default;
  ColumnParallel(Communicator& among, Device device = {}) : detail::DividedDevice<Device>{std::move(device), &among} {
    if (this->ranks() > Parts)
      fail("a ColumnParallel of " + std::to_string(Parts) + " parts was given " + std::to_string(this->ranks()) +
           " ranks; give it as many ranks as parts, or fewer: world.split(color) makes groups of ranks");
  }
  ColumnParallel(Device device) : detail::DividedDevice<Device>{std::move(device)} {}
};

namespace detail {
template <class Device>
inline constexpr bool is_host = false;
template <class Isa>
inline constexpr bool is_host<HostFor<Isa>> = true;
/// In the place of ColumnUnits, where it is refused already.
struct AnyUnits {
  static constexpr bool share_nothing = true, has_weights = true;
};
}  // namespace detail

template <class Model, class T, class Wide, int Parts, class Device>
struct EngineFor<Model, T, ColumnParallel<Wide, Parts, Device>> {
 private:
  using Checks = detail::ColumnChecks<Model, Wide, Parts>;
  static constexpr bool on_host = detail::is_host<Device>;
  static_assert(on_host, "sinter: ColumnParallel divides layers on the host: ColumnParallel<At<1>, 4>");
  static_assert(Checks::ascend,
                "sinter: ColumnParallel<At<..>, parts> takes the numbers of the layers that it divides, in ascending "
                "order");
  static_assert(Checks::divisible, "sinter: ColumnParallel divides Linear and Embedding layers alone");
  static_assert(Checks::enough,
                "sinter: ColumnParallel<At<..>, parts> takes at least one part, and at most as many as each of the "
                "divided layers has outputs, or numbers in a row of its table");
  static constexpr bool possible = on_host && Checks::ascend && Checks::divisible && Checks::enough;
  using Units = std::conditional_t<possible, detail::ColumnUnits<Model, Wide, Parts>, detail::AnyUnits>;
  static_assert(Units::share_nothing,
                "sinter: a Shared layer has places before and after a layer that ColumnParallel divides");
  static_assert(Units::has_weights,
                "sinter: ColumnParallel divides a model that has more weights than running statistics");
  static auto type() {
    if constexpr (possible)
      return detail::Same<detail::ColumnParallelEngine<Model, T, Wide, Parts, Device>>{};
    else
      return detail::Same<typename EngineFor<Model, T, Host>::Type>{};
  }

 public:
  using Type = typename decltype(type())::Type;
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::ColumnParallel;
}  // namespace sinter
