// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>

#include "sinter/core/number_text.hpp"
#include "sinter/report/axis.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION Axis Axis::around(double low, double high, double most) {
  const double magnitude = (low < 0 ? -low : low) + (high < 0 ? -high : high);
  if (high - low <= magnitude * 1e-9 + 1e-300) low -= magnitude * 0.05 + 1e-3, high += magnitude * 0.05 + 1e-3;
  const double step = nice((high - low) / 5);
  low = __builtin_floor(low / step) * step, high = __builtin_ceil(high / step) * step;
  return {low, high < most ? high : most, step};
}

SINTER_FUNCTION Axis Axis::integers(double low, double high) {
  if (high - low < 1e-300) low -= 0.5, high += 0.5;
  const double step = nice((high - low) / 5);
  return {low, high, step < 1 ? 1 : step};
}

SINTER_FUNCTION Axis Axis::decades(double low, double high) {
  low = __builtin_floor(__builtin_log10(low) + 1e-9), high = __builtin_ceil(__builtin_log10(high) - 1e-9);
  if (!(high > low)) high = low + 1;
  const double step = __builtin_ceil((high - low) / 8);
  return {low, low + step * __builtin_ceil((high - low) / step), step, true};
}

SINTER_FUNCTION double Axis::nice(double rough) {
  double power = 1;
  while (power > rough) power /= 10;
  while (power * 10 <= rough) power *= 10;
  return power * (rough <= power ? 1 : rough <= 2 * power ? 2 : rough <= 5 * power ? 5 : 10);
}

SINTER_FUNCTION double Axis::place(double value, double from, double to) const {
  if (logarithmic) value = __builtin_log10(value);
  return from + (value - low) / (high - low) * (to - from);
}

SINTER_FUNCTION std::string Axis::label(double tick) const {
  int decimals = 0;
  for (double s = logarithmic ? tick : step; s < 0.999; s *= 10) ++decimals;
  if (logarithmic && (low < -4 || high > 6)) {  // one style for all ticks of an axis
    const double power = __builtin_floor(__builtin_log10(tick) + 0.5);
    return "1e" + std::to_string(static_cast<int>(power));
  }
  const bool plain = logarithmic || (high < 1e7 && low > -1e7);
  if (decimals <= 6 && plain) return fixed_text(tick, decimals);
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, tick, std::chars_format::general, 6).ptr};
}

}  // namespace detail

SINTER_NAMESPACE_END
