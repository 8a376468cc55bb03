// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/train/problem.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION std::string weight_problem(long step) {
  return "the update of step " + std::to_string(step) +
         " would make a weight that is not finite: it was left out and the parameters are those of the step before; "
         "lower the learning rate";
}

SINTER_FUNCTION std::string infinite_rate(double rate, long step) {
  return "the learning rate of step " + std::to_string(step) + ", " + exact_text(rate) +
         ", is not a finite number in the precision of the network: the update was left out; set optimizer().lr to a "
         "smaller one";
}

}  // namespace detail

SINTER_NAMESPACE_END
