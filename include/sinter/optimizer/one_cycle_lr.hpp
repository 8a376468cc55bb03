// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/number_text.hpp"
#include "sinter/optimizer/apply.hpp"
#include "sinter/optimizer/power.hpp"

SINTER_NAMESPACE_BEGIN

/// One cycle (Smith and Topin, 2017) of total_steps: from lr / div_factor up to lr, which is PyTorch's max_lr, in the
/// fraction pct_start of them, and down to a final_div_factor-th of where it began. With three_phase, the way down
/// reaches the initial rate after as many steps as the way up took, and continues from there. After the end the rate
/// stays.
struct OneCycleLR {
  long total_steps = 1;
  double pct_start = 0.3;
  double div_factor = 25;
  double final_div_factor = 1e4;
  bool three_phase = false;
  bool linear = false;  ///< PyTorch's anneal_strategy: along a cosine, unless in a line

  static constexpr const char* name = "OneCycleLR";
  static constexpr bool anywhere = true;
  SINTER_HOST_DEVICE double operator()(double lr, long t) const {
    detail::check_on_host(*this, lr, t);
    const double at = static_cast<double>(t), last = static_cast<double>(total_steps - 1);
    const double up = fn::product(pct_start, static_cast<double>(total_steps)) - 1, down = three_phase ? 2 * up : last;
    const double first_rate = lr / div_factor, last_rate = first_rate / final_div_factor;
    if (at <= up) return between(first_rate, lr, fraction(at, up));
    if (!three_phase) return between(lr, last_rate, fraction(at - up, last - up));
    if (at <= down) return between(lr, first_rate, fraction(at - up, down - up));
    return between(first_rate, last_rate, fraction(at - down, last - down));
  }
  template <class Each>
  void for_each_option(Each&& each) const {
    each("total_steps", total_steps);
    each("pct_start", pct_start);
    each("div_factor", div_factor);
    each("final_div_factor", final_div_factor);
    each("three_phase", three_phase);
    each("linear", linear);
  }
  void check() const {
    detail::require_count(name, "total_steps", total_steps);
    detail::require_below_one(name, "pct_start", pct_start);
    if (three_phase && pct_start > 0.5)
      fail([&] {
        return "OneCycleLR was given pct_start = " + exact_text(pct_start) +
               " with three_phase, expected at most 0.5; correct that option";
      });
    detail::require_above_zero(name, "div_factor", div_factor);
    detail::require_above_zero(name, "final_div_factor", final_div_factor);
  }

 private:
  SINTER_HOST_DEVICE static double fraction(double done, double all) { return all > 0 && done < all ? done / all : 1; }
  SINTER_HOST_DEVICE double between(double from, double to, double way) const {
    if (linear) return from + fn::product(to - from, way);
    return to + (from - to) * (1 + detail::cosine_of_half_turns(way)) / 2;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::OneCycleLR;
}  // namespace sinter
