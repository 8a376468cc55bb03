// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "sinter/kernels/host/plan/scratch.hpp"
#include "sinter/kernels/host/products/winograd.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// W [outputs][inputs][taps] as [outputs][taps][padded inputs]: one function for all networks of a program.
template <class Isa, class T>
SINTER_SHARED void pack_channels_last(int outputs, int inputs, int taps, int padded, const T* weight, T* to) {
  for (int o = 0; o < outputs; ++o, weight += inputs * taps, to += taps * padded) {
    for (int c = 0; c < inputs; ++c)
      for (int t = 0; t < taps; ++t) to[t * padded + c] = weight[c * taps + t];
    for (int t = 0; t < taps; ++t)
      for (int c = inputs; c < padded; ++c) to[t * padded + c] = T(0);
  }
}

/// Weights in the order in which the kernels of a plan read them: transformed for Winograd's F(2, 3), or channels last
/// for a backward pass that skips zeros. Packed for each call, so that no copy becomes stale.
template <class Plan, bool Training>
class PackedParameters {
  using T = typename Plan::Scalar;
  struct Form {
    void (*pack)(const T* weight, T* to) = nullptr;
    int weight = 0, size = 0, begin = 0;  // where it is in the arena; of the form, and where that is
  };
  static constexpr std::size_t index(int i) { return static_cast<std::size_t>(i); }

  template <int S>
  static void pack_channels_of(const T* weight, T* to) {
    constexpr Op op = Plan::source(S);
    pack_channels_last<typename Plan::ISA>(op.out.channels, op.in.channels, op.window.taps(),
                                           SparseLayout<Plan>::padded_channels(S), weight, to);
  }
  template <int S, bool Back>
  static constexpr Form form_of() {
    if constexpr (Back && !(Training && (Plan::Cut::wants_input_gradient(S) || Plan::with_input_gradient))) {
      return {};
    } else if constexpr (Back && Plan::sparse(S)) {
      constexpr int padded = SparseLayout<Plan>::padded_channels(S);
      constexpr Op op = Plan::source(S);
      return {&pack_channels_of<S>, Plan::parameter(op.weight).offset, op.out.channels * op.window.taps() * padded};
    } else if constexpr (Plan::by_winograd(S) && !(Training && !Back && Plan::skips_channels(S))) {
      constexpr Op op = Plan::source(S);
      constexpr WinogradLayout layout = Back ? WinogradLayout::backward(op) : WinogradLayout::forward(op);
      return {&pack_winograd_weights<layout, Back, T>, Plan::parameter(op.weight).offset, 4 * layout.weight()};
    } else {
      return {};
    }
  }
  /// Of each stage, forward and then backward.
  static constexpr auto forms = []<int... S>(std::integer_sequence<int, S...>) {
    std::array all{form_of<S, false>()..., form_of<S, true>()..., Form{}};
    int end = 0;
    for (Form& form : all) {
      form.begin = end;
      end += round_up(form.size, 64 / static_cast<int>(sizeof(T)));
    }
    return all;
  }(std::make_integer_sequence<int, Plan::stage_count>{});

 public:
  static constexpr int number(int s, bool back) { return back ? Plan::stage_count + s : s; }
  static constexpr int begin(int number) { return forms[index(number)].begin; }
  static constexpr int size = forms.back().begin;

  /// The number of forms that a forward or a backward pass reads.
  static constexpr int count(bool back) {
    int n = 0;
    for (int s = 0; s < Plan::stage_count; ++s) n += forms[index(number(s, back))].size > 0;
    return n;
  }
  /// Packs the i-th of those that are used, those of the forward pass first.
  static void pack(int i, const T* parameters, T* to) {
    for (const Form& form : forms)
      if (form.size > 0 && i-- == 0) form.pack(parameters + form.weight, to + form.begin);
  }
};

}  // namespace host_kernels

SINTER_NAMESPACE_END
