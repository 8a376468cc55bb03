// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/error.hpp"
#include "sinter/core/text.hpp"
#include "sinter/loss/probe.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION std::string fault_text(const std::string& loss, LossFault fault, int outputs, int targets) {
  if (fault.kind == LossFault::varies)
    return joined({loss, " gives two results for the same row; a loss depends on its outputs and targets alone"});
  const bool of_targets = fault.kind == LossFault::reads_targets, reads = fault.kind == LossFault::reads_outputs;
  const std::string at = std::to_string(fault.index), width = std::to_string(fault.index + 1);
  const std::string given = (reads || of_targets ? loss : "the backward of " + loss) + " was given a row of " +
                            std::to_string(of_targets ? targets : outputs) +
                            (of_targets ? " targets"
                             : reads    ? " outputs"
                                        : " gradients");
  if (fault.kind == LossFault::leaves_gradient)
    return joined({given, " and does not set number ", at,
                   "; assign to all n of them, or say in the loss how many outputs it reads: static constexpr int "
                   "outputs = ",
                   fault.index > 0 ? at : ".."});
  return joined({given, " and ", reads || of_targets ? "reads" : "writes", " number ", at, " (they count from 0); ",
                 of_targets ? "say in the loss how many it reads: static constexpr int target_size = "
                            : "end the network in as many outputs as the loss reads, and say in the loss how many "
                              "these are: static constexpr int outputs = ",
                 fault.index < 0 ? ".." : width});
}

}  // namespace detail

SINTER_NAMESPACE_END
