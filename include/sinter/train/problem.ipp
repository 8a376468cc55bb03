// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "sinter/core/text.hpp"
#include "sinter/train/problem.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION std::string not_finite(const char* what, long step, bool embeds, int layer, std::string_view name) {
  const std::string where = layer < 0 ? ""
                                      : joined({"; the first layer with a gradient that is not finite is ",
                                                std::to_string(layer), " (", name, ")"});
  return joined({what, " of step ", std::to_string(step),
                 " is not finite: its update was left out and the parameters are those of the step before", where,
                 "; lower the learning rate, or look in the data for NaN, infinity and numbers too large to be squared",
                 embeds ? " and for numbers that an Embedding has no row for" : ""});
}

SINTER_FUNCTION void fail_option_in_float(const char* optimizer, std::string_view option, double value) {
  fail(joined({optimizer, " was given ", option, " = ", exact_text(value),
               ", which is infinite in the precision of the network; correct that option"}));
}

SINTER_FUNCTION std::string stopped_text(int epoch, const std::string& problem) {
  return "epoch " + std::to_string(epoch) + ": " + problem;
}

SINTER_FUNCTION std::string weight_problem(long step) {
  return "the update of step " + std::to_string(step) +
         " would make a weight, or a number that the optimizer keeps, that is not finite: it was left out and the "
         "parameters are those of the step before; lower the learning rate, clip the gradient, or give an optimizer "
         "that "
         "divides a larger epsilon";
}

SINTER_FUNCTION std::string infinite_rate(double rate, long step) {
  return "the learning rate of step " + std::to_string(step) + ", " + exact_text(rate) +
         ", is not a finite number in the precision of the network: the update was left out; set optimizer().lr to " +
         (rate > 0 ? "a smaller one" : "a finite number of at least 0");
}

SINTER_FUNCTION std::string wrong_next_rate(int epoch, double rate) {
  return "after epoch " + std::to_string(epoch) + ": next_rate gave the learning rate " + exact_text(rate) +
         ", expected a finite number of 0 or more; correct that callback";
}

SINTER_FUNCTION std::string wrong_rate_of_schedule(double rate, long step) {
  return "the schedule gives update " + std::to_string(step) + " the learning rate " + exact_text(rate) +
         ", expected one of 0 or more that is finite in the precision of the network: it was left out and the "
         "parameters "
         "are those of the step before; "
         "correct the schedule";
}

}  // namespace detail

SINTER_NAMESPACE_END
