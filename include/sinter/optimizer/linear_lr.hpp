// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/pack.hpp"
#include "sinter/optimizer/apply.hpp"

SINTER_NAMESPACE_BEGIN

/// lr times a factor that changes linearly from start_factor to end_factor in total_iters, and then stays.
struct LinearLR {
  double start_factor = 1. / 3;
  double end_factor = 1;
  long total_iters = 5;

  static constexpr const char* name = "LinearLR";
  static constexpr bool anywhere = true;
  SINTER_HOST_DEVICE double operator()(double lr, long t) const {
    detail::check_on_host(*this, lr, t);
    const double way = t < total_iters ? static_cast<double>(t) / static_cast<double>(total_iters) : 1;
    return lr * (start_factor + fn::product(end_factor - start_factor, way));
  }
  template <class Each>
  void for_each_option(Each&& each) const {
    each("start_factor", start_factor);
    each("end_factor", end_factor);
    each("total_iters", total_iters);
  }
  void check() const {
    detail::require_count(name, "total_iters", total_iters);
    detail::require_fraction(name, "start_factor", start_factor);
    detail::require_fraction(name, "end_factor", end_factor);
  }
};

/// A rate that grows linearly from start_factor times its final value, for total_iters; then another schedule, whose
/// time begins then. PyTorch's SequentialLR of LinearLR and that one.
template <class Schedule>
struct WarmUp {
  long total_iters;
  Schedule then;
  double start_factor = 1. / 3;

  static constexpr const char* name = "WarmUp";
  static constexpr bool anywhere = ComputedAnywhere<Schedule>;
  SINTER_HOST_DEVICE double operator()(double lr, long t) const
    requires anywhere
  {
    detail::check_on_host(*this, lr, t);
    return t < total_iters ? rising()(lr, t) : then(lr, t - total_iters);
  }
  double operator()(double lr, long t) const
    requires(!anywhere)
  {
    detail::check_on_host(*this, lr, t);
    return t < total_iters ? rising()(lr, t) : then(lr, t - total_iters);
  }
  template <class Each>
  void for_each_option(Each&& each) const {
    each("total_iters", total_iters);
    each("then", then);
    each("start_factor", start_factor);
  }
  void check() const {
    detail::require_count(name, "total_iters", total_iters);
    detail::require_fraction(name, "start_factor", start_factor);
    then.check();
  }

 private:
  SINTER_HOST_DEVICE LinearLR rising() const {
    return {.start_factor = start_factor, .end_factor = 1, .total_iters = total_iters};
  }
};
template <class Schedule>
WarmUp(long, Schedule) -> WarmUp<Schedule>;
template <class Schedule>
WarmUp(long, Schedule, double) -> WarmUp<Schedule>;

SINTER_NAMESPACE_END

namespace sinter {
using internal::LinearLR;
using internal::WarmUp;
}  // namespace sinter
