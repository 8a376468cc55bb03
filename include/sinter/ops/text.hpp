// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string_view>

#include "sinter/ops/op.hpp"

SINTER_NAMESPACE_BEGIN

/// Numbers, shapes and ops as text, added to a std::string at run time or to a Writer at compile time.
namespace plan_text {

/// Writes to a buffer, or only counts if it is null.
struct Writer {
  char* to = nullptr;
  std::size_t size = 0;

  constexpr Writer& operator+=(char c) {
    if (to != nullptr) to[size] = c;
    ++size;
    return *this;
  }
  constexpr Writer& operator+=(std::string_view s) {
    for (const char c : s) *this += c;
    return *this;
  }
};

/// 21840 as "21840", or as "21,840".
template <class Sink>
constexpr void add_number(Sink& to, long long n, bool grouped = false) {
  char digits[32];
  std::size_t count = 0;
  for (int i = 0; n > 0 || i == 0; ++i, n /= 10) {
    if (grouped && i > 0 && i % 3 == 0) digits[count++] = ',';
    digits[count++] = static_cast<char>('0' + n % 10);
  }
  while (count > 0) to += digits[--count];
}
/// 0.25 as "0.25": at most four decimals.
template <class Sink>
constexpr void add_fraction(Sink& to, double x) {
  const auto parts = static_cast<long long>(x * 10000 + 0.5);
  add_number(to, parts / 10000);
  if (parts % 10000 != 0) to += '.';
  for (long long rest = parts % 10000, place = 1000; rest != 0; rest %= place, place /= 10)
    to += static_cast<char>('0' + rest / place);
}
/// "320", "2x100" or "1x28x28".
template <class Sink>
constexpr void add_shape(Sink& to, Dims d) {
  add_number(to, d.channels);
  const auto add = [&to](int size) {
    to += 'x';
    add_number(to, size);
  };
  if (d.rank == 3) add(d.height);
  if (d.rank >= 2) add(d.width);
}
/// The window of an op and its options that are not the default: "5x5, stride 2, padding 1x0".
template <class Sink>
constexpr void add_window(Sink& to, const Op& op) {
  if (op.adaptive) {
    to += "to ";
    if (op.in.rank != 2) {
      add_number(to, op.out.height);
      to += 'x';
    }
    add_number(to, op.out.width);
    return;
  }
  const Window& w = op.window;
  const bool series = op.in.rank == 2;
  const auto add = [&](std::string_view before, int height, int width, bool always_both) {
    to += before;
    if (!series) add_number(to, height);
    if (!series && height == width && !always_both) return;
    if (!series) to += 'x';
    add_number(to, width);
  };
  const bool pool = op.kind == OpKind::pool;
  add("", w.height, w.width, true);
  if (w.stride_height != (pool ? w.height : 1) || w.stride_width != (pool ? w.width : 1))
    add(", stride ", w.stride_height, w.stride_width, false);
  if (w.causal)
    to += ", causal";
  else if (w.padding_height != 0 || w.padding_width != 0)
    add(", padding ", w.padding_height, w.padding_width, false);
  if (w.dilation_height != 1 || w.dilation_width != 1) add(", dilation ", w.dilation_height, w.dilation_width, false);
  if (w.groups != 1) add(", groups ", w.groups, w.groups, false);
}

/// "convolution 1->10 5x5, bias", "max pool 2x2", "GRU 8->64, bias", "dropout 0.5", "ReLU".
template <class Sink>
constexpr void add_op(Sink& to, const Op& op) {
  to += op.name;
  if (op.kind == OpKind::product && !op.per_channel) {
    to += ' ';
    add_number(to, op.whole ? op.in.size() : op.in.channels);
    to += "->";
    add_number(to, op.out.channels);
    if (!op.whole) {
      to += ' ';
      add_window(to, op);
    }
    if (op.with_bias) to += ", bias";
  } else if (op.kind == OpKind::pool) {
    to += ' ';
    add_window(to, op);
  } else if (op.kind == OpKind::group_normalize && op.groups > 1) {
    to += ' ';
    add_number(to, op.groups);
  } else if (op.kind == OpKind::recurrence) {
    to += ' ';
    add_number(to, op.in.width);
    to += "->";
    add_number(to, op.hidden);
    if (op.directions > 1) to += ", both directions";
    if (op.out.rank == 1) to += ", final state";
    if (op.projected > 0) {
      to += ", projection ";
      add_number(to, op.projected);
    }
    if (op.learned > 0) to += ", learned state";
    if (op.given > 0) to += ", given state";
    if (op.lengths > 0) to += ", lengths";
    if (op.with_bias) to += ", bias";
  } else if (op.kind == OpKind::mask) {
    to += ' ';
    add_fraction(to, op.probability);
  }
}

}  // namespace plan_text

SINTER_NAMESPACE_END
