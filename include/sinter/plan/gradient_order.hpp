// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>

#include "sinter/plan/stages.hpp"

SINTER_NAMESPACE_BEGIN

/// The order in which the readers of a value give it their gradients, and when. Backward runs through the stages in
/// reverse; what a stage gives to a value runs at once through the riders of the stage that made that value, and from
/// them to what else those read. All but the last gradient of a value wait in memory; the last reader adds them up.
///
/// Moments: stage s goes forward at s, the loss is taken at `count`, stage s goes backward at 2 count - s.
template <class Cut>
struct GradientOrder {
  using Ops = typename Cut::Ops;

  /// Input `k` of op `i` as a number among the reads of the network.
  static constexpr int read(int i, int k) {
    const int value = Cut::op(i).inputs[k];
    int number = Ops::values[index(value)].first_read;
    while (Ops::readers[index(number)] != i) ++number;
    for (int before = 0; before < k; ++before) number += Cut::op(i).inputs[before] == value;  // read twice by one op
    return number;
  }
  static constexpr int backward(int s) { return 2 * Cut::count - s; }

 private:
  static constexpr std::size_t index(int i) { return static_cast<std::size_t>(i); }

  struct Order {
    std::array<int, index(Ops::read_count + 1)> turn{}, given_at{};  // of each read
    std::array<int, index(Ops::value_count)> given{}, taken{};       // of each value
    int now = Cut::count;

    constexpr void take(int value) {
      taken[index(value)] = now;
      if (value == 0) return;
      const Stage& stage = Cut::at(Cut::producer(value));
      for (int i = stage.last - 1; i >= stage.first_rider(); --i)
        if (Cut::op(i).kind == OpKind::add) give(i, 1 - Cut::main_input(i));
    }
    constexpr void give(int i, int k) {
      const int value = Cut::op(i).inputs[k], number = read(i, k);
      given_at[index(number)] = now;
      turn[index(number)] = given[index(value)]++;
      if (given[index(value)] == Ops::values[index(value)].read_count) take(value);
    }
    constexpr void run() {
      if (Cut::count == 0) return;
      take(Ops::output_value);
      for (int s = Cut::count - 1; s >= 0; --s) {
        now = backward(s);
        const int source = Cut::at(s).first;
        for (int k = Cut::given(s) - 1; k >= 0; --k) give(source, k);
      }
    }
  };
  static constexpr Order order = [] {
    Order o;
    o.run();
    return o;
  }();

 public:
  /// How many others have given before this read does.
  static constexpr int turn(int number) { return order.turn[index(number)]; }
  /// The moment of it, and that at which the gradient of a value is complete.
  static constexpr int given_at(int number) { return order.given_at[index(number)]; }
  static constexpr int taken(int value) { return order.taken[index(value)]; }
  static constexpr int count(int value) { return Ops::values[index(value)].read_count; }
  /// The read of a value whose gradient is number `turn` in the order.
  static constexpr int in_turn(int value, int turn) {
    int number = Ops::values[index(value)].first_read;
    while (order.turn[index(number)] != turn) ++number;
    return number;
  }
};

SINTER_NAMESPACE_END
