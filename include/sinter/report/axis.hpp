// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// From `low` to `high`, with a tick at each multiple of `step`: 1, 2 or 5 times a power of ten, about five of them. On
/// a logarithmic axis the three are logarithms, and ticks are powers of ten.
struct Axis {
  double low = 0, high = 1, step = 1;
  bool logarithmic = false;

  /// Ends on ticks that enclose the values, but not beyond `most`.
  static Axis around(double low, double high, double most);
  /// Ends on the values, ticks at whole numbers.
  static Axis integers(double low, double high);
  /// Ends on powers of ten that enclose the values, which are above 0.
  static Axis decades(double low, double high);
  static double nice(double rough);
  double place(double value, double from, double to) const;
  /// Calls draw(value) for each tick; with `ends` where an axis ends on ticks.
  template <class Draw>
  void each_tick(bool ends, Draw&& draw) const {
    const double first = ends ? __builtin_floor(low / step + 0.5) : __builtin_ceil(low / step);
    const double last = ends ? high + step / 2 : high;
    for (double k = logarithmic ? 0 : first; (logarithmic ? low : 0) + k * step <= last; ++k)
      draw(logarithmic ? __builtin_pow(10, low + k * step) : k * step);
  }
  std::string label(double tick) const;
};

}  // namespace detail

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/report/axis.ipp"
#endif
