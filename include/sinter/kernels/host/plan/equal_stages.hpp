// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "sinter/kernels/host/plan/memory.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// The kernels of a stage.
enum class Pass : unsigned char { forward, weight_gradient, input_gradient };

/// Everything that the kernel of a stage refers to, in an order that follows from the kind of stage. Two stages have
/// the same kernel if their lists differ only in places. `Memory` is a Tile or the plan of single rows.
template <class Memory>
struct StageReferences {
  using P = typename Memory::Plan;
  static constexpr int most = 96;
  std::array<Reference, static_cast<std::size_t>(most)> all{};
  int count = 0;
  bool known = true;  // whether the list is complete: else the stage has a kernel of its own

  constexpr const Reference& at(int k) const { return all[static_cast<std::size_t>(k)]; }
  constexpr int place_count() const {
    int n = 0;
    for (int k = 0; k < count; ++k) n += at(k).is_place();
    return n;
  }

  constexpr StageReferences(int s, Pass pass) {
    const Source source = P::stage(s).source;
    known = kind_of(source).shares_kernel;
    begin_with(s);
    if (pass == Pass::forward) {
      known = known && !(Memory::training && P::skips_channels(s));
      for (int i = P::stage(s).first_rider(); i < P::stage(s).last; ++i) rider(s, i, true);
      add(Role::value, P::stage(s).output);
      packed(s, false);
      return;
    }
    if constexpr (Memory::training) {
      known = known && !P::sparse(s) && !(pass == Pass::weight_gradient && P::of_batch(s) && !P::layered);
      add(Role::gradient, s);
      const Op& op = P::source(s);
      for (const int parameter : {op.weight, op.bias})
        if (parameter >= 0) add(Role::parameter_gradient, parameter);
      if (pass == Pass::weight_gradient) return;
      packed(s, true);
      if (kind_of(source).reads_output_again) add(Role::value, P::stage(s).output);
      for (int k = 0; k < P::Cut::given(s); ++k) give(P::stage(s).first, k);
    }
  }

 private:
  constexpr void add(Role role, int id) {
    known = known && count < most;
    if (known) all[static_cast<std::size_t>(count++)] = {role, id};
  }
  constexpr void number(int n) { add(Role::number, n); }

  /// Single rows transform the weights themselves.
  constexpr void packed(int s, bool back) {
    if constexpr (requires { typename Memory::Packed; })
      if (P::by_winograd(s)) add(Role::packed, Memory::Packed::number(s, back));
  }
  /// The source of a stage, its inputs and its parameters.
  constexpr void begin_with(int s) {
    const Stage& stage = P::stage(s);
    const Op& op = P::source(s);
    number(static_cast<int>(stage.source));
    number(stage.last - stage.first);
    number(stage.pool < 0 ? 0 : stage.pool - stage.first);
    add(Role::op, stage.first);
    if (stage.pool >= 0) add(Role::op, stage.pool);
    for (int k = 0; k < P::Cut::given(s); ++k) {
      number(op.inputs[k] == 0);
      add(Role::value, op.inputs[k]);
    }
    for (const int parameter : {op.weight, op.bias})
      if (parameter >= 0) add(Role::parameter, parameter);
    if (!Memory::training) return;
    if (op.kind == OpKind::pool && !op.average) add(Role::argmax, stage.first);
    if (op.kind == OpKind::group_normalize) add(Role::saved, stage.first);
    if (stage.source == Source::statistics || stage.source == Source::normalize) {
      const int normalize = stage.source == Source::normalize ? stage.first : Memory::Values::normalize_of(stage.first);
      add(Role::of_batch, normalize);
      add(Role::partial, normalize);
    }
  }
  /// Op i at the end of stage s.
  constexpr void rider(int s, int i, bool forward) {
    const Op& op = P::op(i);
    add(Role::op, i);
    if (op.kind == OpKind::add) {
      number(P::Cut::main_input(i));
      if (forward) add(Role::value, op.inputs[1 - P::Cut::main_input(i)]);
    }
    if (op.kind == OpKind::normalize) add(Role::of_batch, i);
    if (!Memory::training) return;
    if (op.kind == OpKind::mask) add(Role::mask, i);
    if (op.kind == OpKind::pool && !op.average) add(Role::argmax, i);
    if (op.kind != OpKind::map) return;
    const bool saves = P::saves(s, i);
    number(saves);
    if (saves)
      add(Role::saved, i);
    else
      add(Role::value, P::stage(s).output);
  }
  /// Where the gradient of input k of op i goes: see give_gradient.
  constexpr void give(int i, int k) {
    using Order = typename P::GradientOrder;
    const int value = P::op(i).inputs[k];
    const bool taken = P::Cut::learned(value) || Memory::input_gradient;
    number(value == 0);
    number(taken);
    if (!taken) return;
    const int read = Order::read(i, k), turn = Order::turn(read), last = Order::count(value) - 1;
    number(turn);
    number(last);
    number(P::op(i).seen(k) == P::value_dims(value));
    if (turn < last) return add(Role::read_gradient, read);
    for (int before = 0; before < turn; ++before) add(Role::read_gradient, Order::in_turn(value, before));
    if (value != 0) take(P::Cut::producer(value));
  }
  /// Back through the riders of stage s.
  constexpr void take(int s) {
    const Stage& stage = P::stage(s);
    number(stage.source == Source::map);
    number(P::sparse(s));
    for (int i = stage.last - 1; i >= stage.first_rider(); --i) {
      rider(s, i, false);
      if (P::op(i).kind == OpKind::add) give(i, 1 - P::Cut::main_input(i));
    }
    add(Role::gradient, s);
  }
};

/// Which stages have the same kernel. It is compiled for the first of them and given the places of the others.
template <class Memory, Pass pass>
class EqualStages {
  using P = typename Memory::Plan;
  using References = StageReferences<Memory>;
  static constexpr std::size_t index(int i) { return static_cast<std::size_t>(i); }

  template <class OpType>
  static constexpr char tag = 0;
  /// The type of each op: with its input, it determines the op but for what it reads and writes.
  static constexpr auto types = []<int... i>(std::integer_sequence<int, i...>) {
    return std::array<const void*, sizeof...(i) + 1>{&tag<typename P::Ops::template OpType<i>>..., nullptr};
  }(std::make_integer_sequence<int, P::op_count>{});

  static constexpr bool same_op(int i, int j) {
    const Op &a = P::op(i), &b = P::op(j);
    return types[index(i)] == types[index(j)] && a.in == b.in && a.out == b.out && a.input_count == b.input_count &&
           std::equal(a.channels, a.channels + Op::most_inputs, b.channels) && (a.weight < 0) == (b.weight < 0) &&
           (a.bias < 0) == (b.bias < 0) && a.groups == b.groups;
  }
  static constexpr bool same(const Reference& a, const Reference& b) {
    if (a.role != b.role) return false;
    if (a.role == Role::number) return a.id == b.id;
    if (a.role == Role::op) return same_op(a.id, b.id);
    return Memory::place(a).is_like(Memory::place(b));
  }
  /// The first reference that is the same as number k.
  static constexpr int first_of(const References& list, int k) {
    int i = 0;
    while (list.at(i) != list.at(k)) ++i;
    return i;
  }
  static constexpr bool same(const References& a, const References& b) {
    if (!a.known || !b.known || a.count != b.count) return false;
    for (int k = 0; k < a.count; ++k)
      if (!same(a.at(k), b.at(k))) return false;
    for (int k = 0; k < a.count; ++k)
      if (a.at(k).is_place() && first_of(a, k) != first_of(b, k)) return false;
    return true;
  }

  /// The references of each stage. Computed once: the compiler counts its steps, and a stage is compared with all
  /// before it.
  static constexpr auto references = []<int... s>(std::integer_sequence<int, s...>) {
    return std::array<References, sizeof...(s)>{References(s, pass)...};
  }(std::make_integer_sequence<int, P::stage_count>{});

  struct Firsts {
    std::array<int, index(P::stage_count + 1)> first{};
    std::array<bool, index(P::stage_count + 1)> shared{};
  };
  static constexpr Firsts firsts = [] {
    Firsts all;
    for (int s = 0; s < P::stage_count; ++s) {
      int& first = all.first[index(s)] = s;
      for (int other = 0; other < s && first == s; ++other)
        if (all.first[index(other)] == other && P::stage(other).source == P::stage(s).source &&
            P::source(other).in == P::source(s).in && P::source(other).out == P::source(s).out &&
            same(references[index(other)], references[index(s)]))
          first = other;
      all.shared[index(s)] = first != s;
      if (first != s) all.shared[index(first)] = true;
    }
    return all;
  }();

 public:
  static constexpr int first(int s) { return firsts.first[index(s)]; }
  /// Whether other stages have the kernel of stage s.
  static constexpr bool shared(int s) { return firsts.shared[index(s)]; }
};

}  // namespace host_kernels

SINTER_NAMESPACE_END
