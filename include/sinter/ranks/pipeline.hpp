// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "sinter/core/error.hpp"
#include "sinter/device/host.hpp"
#include "sinter/ranks/communicator.hpp"
#include "sinter/ranks/divided_device.hpp"
#include "sinter/ranks/pipeline_engine.hpp"
#include "sinter/ranks/stages.hpp"

SINTER_NAMESPACE_BEGIN

struct PipelineOptions {
  int micro_batches = 4;  ///< into which a batch is cut; they follow one another through the stages
};

/// A device that every rank makes, and that divides the layers of a model: each rank has the weights, the optimizer's
/// state and the activations of its stages alone, and computes them on a Device of its own.
///
///     Network<Net, Pipeline<At<3, 7>>> net{{world, Host{.threads = 2}, {.micro_batches = 8}}, {.seed = 1}};
///
/// All ranks make the same calls with the same data and options; `world` must outlive the network. With fewer ranks
/// than stages, a rank has several that follow one another; without a `world`, there is one rank. Outputs are those of
/// the undivided network, bit for bit. Gradients are, but for rounding, those of its micro-batches, added one after
/// another; their bits depend on where the model is cut and on the number of micro-batches, not on the number of ranks
/// and threads.
///
/// In training, stages work at the same time on different micro-batches ("1F1B", Narayanan et al., "PipeDream",
/// SOSP 2019): M of them take M + S - 1 times as long as one takes in the slowest of S stages. A stage keeps the
/// activations of up to 2 (S - 1) micro-batches. Statistics of a batch are those of a micro-batch.
template <class Places, class Device = Host>
struct Pipeline : detail::DividedDevice<Device> {
  using OfMembers = Pipeline;

  Pipeline() = default;
  Pipeline(Communicator& among, Device device = {}, PipelineOptions options = {})
      : detail::DividedDevice<Device>{std::move(device), &among}, micro_batches(options.micro_batches) {
    check();
  }
  Pipeline(Device device, PipelineOptions options = {})
      : detail::DividedDevice<Device>{std::move(device)}, micro_batches(options.micro_batches) {
    check();
  }

  /// A note for the user on training with such batches, or nothing.
  template <class Net>
  std::string note_of_batch(const Net&, std::size_t batch) const {
    if (batch >= static_cast<std::size_t>(micro_batches)) return {};
    return "a batch of " + std::to_string(batch) + " rows makes as many micro-batches, fewer than the " +
           std::to_string(micro_batches) + " asked for";
  }

  int micro_batches = PipelineOptions{}.micro_batches;

 private:
  void check() const {
    if (micro_batches < 1)
      fail("a Pipeline was given .micro_batches = " + std::to_string(micro_batches) + "; give it 1 or more");
    if (this->ranks() > Places::stages)
      fail("a Pipeline of " + std::to_string(Places::stages) + " stages was given " + std::to_string(this->ranks()) +
           " ranks; give it as many ranks as stages, or fewer: world.split(color) makes groups of ranks");
  }
};

template <class Model, class T, class Places, class Device>
struct EngineFor<Model, T, Pipeline<Places, Device>> {
  using Parts = detail::Stages<Model, Places>;
  static_assert(Parts::ascend,
                "sinter: Pipeline<At<..>> takes the numbers of layers in ascending order, each the first of a stage: "
                "from 1 to the number of the last layer");
  static_assert(Parts::share_nothing,
                "sinter: a Shared layer has places in two stages of a Pipeline: cut before its first or after its last "
                "place");
  static_assert(Parts::has_weights, "sinter: a Pipeline divides a model that has weights");

  using Type = detail::PipelineEngine<Model, T, Places, Device>;
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::Pipeline;
using internal::PipelineOptions;
}  // namespace sinter
