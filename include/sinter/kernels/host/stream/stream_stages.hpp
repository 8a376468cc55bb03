// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "sinter/kernels/host/products/stream_product.hpp"
#include "sinter/kernels/host/single/single.hpp"
#include "sinter/kernels/host/stream/stream_plan.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// Runs stage S of a stream on the moments [begin, end) of the input, with the outputs in the lanes. Each number is the
/// same chain of operations as in the plans for whole sequences, so the bits are the same; before the first moment
/// there are zeros, as in padding.
template <class Streams, int S>
class StreamStage {
  using P = typename Streams::Plan;
  using V = typename P::V;
  using Places = StreamPlaces<Streams>;
  using One = Single<P, const float*, Places>;
  static constexpr Stage stage = P::stage(S);
  static constexpr Op op = P::source(S);
  static constexpr int L = P::lanes, in = stage.input, out = stage.output;
  static constexpr std::size_t index(int i) { return static_cast<std::size_t>(i); }

 public:
  StreamStage(float* memory, const float* weights, std::uint64_t begin, std::uint64_t end)
      : one_{memory, weights, weights + Streams::of_batch, {}}, end_(end) {
    const std::uint64_t first = Streams::count(out, begin), last = Streams::count(out, end);
    if constexpr (Streams::is_part_of_attention(S))
      return;
    else if constexpr (Streams::attends(S))
      for (std::uint64_t j = first; j < last; ++j) attend(j);
    else if constexpr (stage.source == Source::map && Streams::InTime::has_positions(stage.first))
      for (std::uint64_t j = first; j < last; ++j) encode(j);
    else if constexpr (stage.source == Source::matmul && Streams::InTime::is_table(stage.first))
      for (std::uint64_t j = first; j < last; ++j) look_up(j);
    else if constexpr (stage.source == Source::matmul && op.per_channel)
      for (std::uint64_t j = first; j < last; ++j) scale(at_moment(j));
    else if constexpr (stage.source == Source::matmul)
      for (std::uint64_t j = first; j < last; j += Streams::together)
        product(j, static_cast<int>(std::min<std::uint64_t>(Streams::together, last - j)));
    else if constexpr (stage.source == Source::pool)
      for (std::uint64_t j = first; j < last; ++j) pool(j);
    else if constexpr (stage.source == Source::recurrence)
      for (std::uint64_t j = first; j < last; ++j) recur(j);
    else if constexpr ((stage.source == Source::map || stage.source == Source::elementwise) && op.in.rank == 1)
      for (std::uint64_t j = first; j < last; ++j) pointwise(at_moment(j));
    else {
      static_assert(
          stage.source == Source::map || stage.source == Source::elementwise || stage.source == Source::concat ||
              stage.source == Source::index_map || stage.source == Source::group_normalize ||
              stage.source == Source::lookup || stage.source == Source::matrix_product || stage.source == Source::row,
          "sinter: say in StreamStage what a stream does with this kind of op, or that one sample's kernel does it");
      for (std::uint64_t j = first; j < last; ++j) SingleKernel<stage.source>::template forward<P, S>(at_moment(j));
    }
  }

 private:
  One one_;
  std::uint64_t end_;

  template <int Value>
  std::ptrdiff_t frame(std::int64_t i) const {
    return ring_frame<Streams, Value>(i, end_);
  }
  /// The kernels' places for number j of the output.
  One at_moment(std::uint64_t j) const {
    One one{one_.memory + Streams::single_memory, one_.parameters, one_.batch, {}};
    const auto place = [&]<int Value>() {
      one.places.frame[Value] = frame<Value>(static_cast<std::int64_t>(j)) - Streams::single_memory;
    };
    place.template operator()<out>();
    unroll<stage.last - stage.first>([&](auto i) SINTER_LAMBDA {
      constexpr Op each = P::op(stage.first + decltype(i)::value);
      unroll<each.input_count>([&](auto k) SINTER_LAMBDA {
        constexpr int value = each.inputs[decltype(k)::value];
        constexpr bool window = decltype(i)::value == 0 && Streams::slides(S);
        if constexpr (!window && Streams::rings[index(value)].frames > 0) place.template operator()<value>();
      });
    });
    return one;
  }
  template <int Value>
  const float* number(std::uint64_t j) const {
    return one_.memory + frame<Value>(static_cast<std::int64_t>(j));
  }
  const float* input(std::uint64_t j) const { return number<in>(j); }
  /// The numbers that tap k of the window of output j reads; null before the first number.
  const float* tap(std::uint64_t j, int k, bool zeros) const {
    const std::int64_t i =
        static_cast<std::int64_t>(j) * op.window.stride_width - op.window.padding_width + k * op.window.dilation_width;
    return i < 0 && !zeros ? nullptr : one_.memory + frame<in>(i);
  }
  /// f(c, count) for the packs of so many numbers. `count` is less in the last one, where it is a constant: with a
  /// variable, g++ calls memmove to store it.
  template <int Size, class F>
  SINTER_INLINE static void for_each_pack(F&& f) {
    constexpr int rest = Size % L;
    for (int c = 0; c < Size - rest; c += L) f(c, L);
    if constexpr (rest > 0) f(Size - rest, rest);
  }
  /// The riders on an output of numbers in the lanes, y.
  void finish(const One& one, const float* y) const {
    for_each_pack<op.out.size()>(
        [&](int c, int count) SINTER_LAMBDA { one.template finish<S>(Position{c, 0, 0}, V::load(y + c), count); });
  }

  void product(std::uint64_t j, int moments) const {
    constexpr int padded = round_up(op.out.size(), Streams::line);
    const float* const y = one_.memory + Streams::products;
    if (!product_in_place(j, moments)) product_of_copies(j, moments);
    for (int r = 0; r < moments; ++r) finish(at_moment(j + static_cast<std::uint64_t>(r)), y + r * padded);
  }
  /// Products of windows that are read from the ring; false if they are not, or if their moments do not follow one
  /// another there.
  bool product_in_place(std::uint64_t j, int moments) const {
    constexpr int taps = Streams::taps(S), padded = round_up(op.out.size(), Streams::line);
    if constexpr (op.window.groups > 1 || op.window.stride_width > 1 || taps > 8) {
      return false;
    } else {
      const float* from[taps];
      float* y = one_.memory + Streams::products;
      bool follow = moments == Streams::together;
      for (int k = 0; k < taps; ++k) {
        from[k] = read(j, k);
        follow =
            follow && read(j + Streams::together - 1, k) == from[k] + (Streams::together - 1) * Streams::numbers(in);
      }
      if (follow) {
        products_of_taps<Streams::together>(from, y);
        return true;
      }
      if (taps > 1 && moments == Streams::together) return false;  // four copies in one product are faster
      for (int r = 0; r < moments; ++r, y += padded) {
        for (int k = 0; k < taps; ++k) from[k] = read(j + static_cast<std::uint64_t>(r), k);
        products_of_taps<1>(from, y);
      }
      return true;
    }
  }
  /// The numbers that tap k of a product reads for output j.
  const float* read(std::uint64_t j, int k) const {
    if constexpr (Streams::slides(S))
      return tap(j, k, true);
    else
      return input(j);
  }
  template <int R, int Taps>
  void products_of_taps(const float* const (&from)[Taps], float* y) const {
    constexpr int padded = round_up(op.out.size(), Streams::line);
    const float* const bias = op.with_bias ? one_.parameters + Places::parameter(op.with_bias ? op.bias : 0) : nullptr;
    products_of_windows<R, Taps, op.in.size(), Streams::numbers(in), padded, typename P::ISA, V>(
        one_.parameters + Places::parameter(op.weight), bias, from, y);
  }
  void product_of_copies(std::uint64_t j, int moments) const {
    constexpr auto weight = Streams::matrices[index(op.weight)];
    constexpr int terms = Streams::terms(S), taps = Streams::taps(S), channels = op.in.size();
    constexpr int padded = round_up(op.out.size(), Streams::line);
    const float* const bias = op.with_bias ? one_.parameters + Places::parameter(op.with_bias ? op.bias : 0) : nullptr;
    float* const x = one_.memory + Streams::windows;
    float* const y = one_.memory + Streams::products;
    if constexpr (!Streams::slides(S)) {
      for (int r = 0; r < moments; ++r)
        products_of_moments<typename P::ISA, V>(one_.parameters + weight.offset, padded, bias,
                                                input(j + static_cast<std::uint64_t>(r)), terms, 1, y + r * padded);
    } else {
      for (int r = 0; r < moments; ++r)
        for (int k = 0; k < taps; ++k) {
          const float* const from = tap(j + static_cast<std::uint64_t>(r), k, true);
          float* const to = x + r * channels * taps + k;
          for (int c = 0; c < channels; ++c) to[c * taps] = from[c];
        }
      if constexpr (op.window.groups == 1)
        products_of_moments<typename P::ISA, V>(one_.parameters + weight.offset, padded, bias, x, terms, moments, y);
      else
        for (int r = 0; r < moments; ++r) products_of_groups(bias, x + r * channels * taps, y + r * padded);
    }
  }
  /// A convolution with groups: each output has a window of its own channels.
  void products_of_groups(const float* bias, const float* x, float* y) const {
    constexpr auto weight = Streams::matrices[index(op.weight)];
    constexpr int terms = Streams::terms(S), outputs = op.out.size() / op.window.groups;
    for (int m = 0; m < op.out.size(); m += L) {
      V sum = op.with_bias ? V::load(bias + m) : V(0);
      for (int k = 0; k < terms; ++k) {
        V of_window(0);
        for (int lane = 0; lane < L && m + lane < op.out.size(); ++lane)
          of_window.set(lane, x[(m + lane) / outputs * terms + k]);
        sum = fma(V::load(one_.parameters + weight.offset + k * weight.padded() + m), of_window, sum);
      }
      sum.store(y + m);
    }
  }
  /// A weight for each channel, or one for all.
  void scale(const One& one) const {
    const float* const w = one.parameters + Places::parameter(op.weight);
    const float* const b = one.parameters + Places::parameter(op.with_bias ? op.bias : op.weight);
    const float* const x = one.at(One::input(S).begin());
    for_each_pack<op.in.size()>([&](int c, int count) SINTER_LAMBDA {
      const V weight = op.window.groups == 1 ? V(*w) : V::load(w + c);
      const V start = !op.with_bias ? V(0) : op.window.groups == 1 ? V(*b) : V::load(b + c);
      one.template finish<S>(Position{c, 0, 0}, fma(weight, V::load(x + c), start), count);
    });
  }
  void pool(std::uint64_t j) const {
    const One one = at_moment(j);
    for_each_pack<op.out.size()>([&](int c, int count) SINTER_LAMBDA {
      V total(0);
      LargestElement<V> largest;
      bool first = Streams::rides_in_whole(S);  // then a mean begins with its first number
      for (int k = 0; k < op.window.width; ++k) {
        const float* const from = tap(j, k, false);
        if (from == nullptr) continue;
        if constexpr (op.average)
          total = first ? V::load(from + c) : add(V::load(from + c), total);
        else
          largest.take(V::load(from + c), V(0));
        first = false;
      }
      const V pooled = op.average ? fn::product(total, V(weight_in_mean<float>(op.window.width))) : largest.value;
      one.template finish<S>(Position{c, 0, 0}, pooled, count);
    });
  }
  void recur(std::uint64_t j) const {
    using Cell = typename P::Ops::template OpType<stage.first>::Cell;
    constexpr int padded = round_up(Streams::rows(op), Streams::line);
    const auto parameter = [&](int i) { return one_.parameters + Places::parameter(op.weight + i); };
    RecurrenceWeights<float> w{parameter(0), parameter(1), nullptr, nullptr, nullptr};
    if constexpr (op.with_bias) w.b_ih = parameter(2), w.b_hh = parameter(3);
    if constexpr (op.projected > 0) w.w_hr = parameter(op.projection());
    float* const h = one_.memory + Streams::cells[index(S)];
    float* const c = h + round_up(op.hidden, Streams::line);
    float* const a = one_.memory + Streams::products;
    for (int which = 0; j == 0 && which < op.learned; ++which)
      std::copy_n(parameter(op.first_state() + which), which == 0 ? op.h_size() : op.hidden, which == 0 ? h : c);
    float* const u = a + padded + Streams::line;
    single_steps<Cell, typename P::ISA, V>({1, op.in.width, op.hidden, op.h_size()}, w, padded,
                                           round_up(op.h_size(), Streams::line), Steps<const float>{input(j), 0},
                                           SingleStep<float>{.a = a, .u = u, .c = c, .m = u + padded + Streams::line},
                                           Steps<float>{h, 0}, j > 0 || op.learned > 0);
    finish(at_moment(j), h);
  }
  void attend(std::uint64_t j) const {
    constexpr StreamAttention attention = Streams::attention(S);
    constexpr Op scores = Streams::scores(S);
    float* const weights = one_.memory + Streams::products;
    float* const y = weights + attention.padded();
    host_kernels::attend<typename P::ISA, V>(attention, static_cast<int>(j), number<scores.inputs[0]>(j),
                                             number<scores.inputs[1]>(j), number<op.inputs[Streams::attended(S)]>(j),
                                             one_.memory + Streams::cells[index(S)], weights, y);
    finish(at_moment(j), y);
  }
  /// A constant for each number of a position.
  void encode(std::uint64_t j) const {
    using F = typename P::Ops::template OpType<stage.first>::Functor;
    constexpr Dims whole = Streams::Whole::op(stage.first).in;
    constexpr Timing timing = Streams::timing(P::op(stage.first).output);
    const float* const numbers = F::template numbers<float, whole>();
    const One one = at_moment(j);
    for_each_pack<op.out.size()>([&](int c, int count) SINTER_LAMBDA {
      V number(0);
      if constexpr (timing.outer == 1)
        number = V::load(numbers + timing.at(c, static_cast<int>(j)));
      else
        for (int lane = 0; lane < count; ++lane) number.set(lane, numbers[timing.at(c + lane, static_cast<int>(j))]);
      const V v = F::forward(V::load(input(j) + c), number);
      store_first(one.template ride<S, stage.first + 1, stage.last>(Position{c, 0, 0}, v),
                  one.at(One::output(S).at(c, 0, 0)), count);
    });
  }
  /// A row of weights for each position, times an input of 1.
  void look_up(std::uint64_t j) const {
    const float* const row = one_.parameters + Places::parameter(op.weight) + j * op.out.size();
    const One one = at_moment(j);
    for_each_pack<op.out.size()>([&](int c, int count) SINTER_LAMBDA {
      one.template finish<S>(Position{c, 0, 0}, fma(V::load(row + c), V(*input(j)), V(0)), count);
    });
  }
  void pointwise(const One& one) const {
    for_each_pack<op.in.size()>([&](int c, int count) SINTER_LAMBDA {
      V v = V::load(one.at(One::input(S).begin()) + c);
      if constexpr (stage.source == Source::elementwise)
        v = P::Ops::template OpType<stage.first>::forward(v, V::load(one.at(One::value(op.inputs[1]).begin()) + c));
      one.template finish<S>(Position{c, 0, 0}, v, count);
    });
  }
};

/// All stages, on the moments [begin, end), whose inputs are in the ring of value 0: at most StreamPlan::most_moments.
template <class Streams>
void stream_stages(float* memory, const float* weights, std::uint64_t begin, std::uint64_t end) {
  unroll<Streams::Plan::stage_count>(
      [&](auto s) SINTER_LAMBDA { StreamStage<Streams, decltype(s)::value>(memory, weights, begin, end); });
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
