// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/unroll.hpp"

SINTER_NAMESPACE_BEGIN

/// What ops compute element by element, once for all places of their operands. An access says where these are:
/// TileAccess for samples in the lanes, SingleAccess for outputs in the lanes, RecordAccess for a number of each thread
/// of a GPU. Each has
///     each<K>(f)         f(position, lanes) for the elements of input K
///     each_part_back(f)  f(k, position) for those of all inputs, the last input first, k being a constant
///     load<K>(p), in_output<K>(p)    the element of input K, and where a concat puts it
///     finish(p, v, lanes)            v to the riders of the stage
///     slope(p), give<K>(p, g)        dy there, and the gradient of that element of input K
/// and the type of the op. For numbers by their positions a tile and a record have, too,
///     each_output(f)                     f(position)
///     read<Sum>(p), slopes<Sum>(p)       an IndexSum of numbers of the input, or of dy
namespace element_kernels {

/// Riders alone, on a stored value.
struct Riders {
  template <class A>
  SINTER_FN static void forward(const A& a) {
    a.template each<0>([&](auto p, int lanes) SINTER_LAMBDA { a.finish(p, a.template load<0>(p), lanes); });
  }
  template <class A>
  SINTER_FN static void backward(const A& a) {
    a.template each<0>([&](auto p, int) SINTER_LAMBDA { a.template give<0>(p, a.slope(p)); });
  }
};

/// y = f(a, b).
struct Elementwise {
  template <class A>
  SINTER_FN static void forward(const A& a) {
    a.template each<0>([&](auto p, int lanes) SINTER_LAMBDA {
      a.finish(p, A::Op::forward(a.template load<0>(p), a.template load<1>(p)), lanes);
    });
  }
  template <class A>
  SINTER_FN static void backward(const A& a) {
    a.template each<0>([&](auto p, int) SINTER_LAMBDA {
      typename A::V first, second;
      A::Op::backward(a.template load<0>(p), a.template load<1>(p), a.slope(p), first, second);
      a.template give<1>(p, second);
      a.template give<0>(p, first);
    });
  }
};

/// Several values in one, channel after channel.
struct Concat {
  template <class A>
  SINTER_FN static void forward(const A& a) {
    unroll<A::inputs>([&](auto k) SINTER_LAMBDA {
      constexpr int K = decltype(k)::value;
      a.template each<K>([&](auto p, int lanes)
                             SINTER_LAMBDA { a.finish(a.template in_output<K>(p), a.template load<K>(p), lanes); });
    });
  }
  template <class A>
  SINTER_FN static void backward(const A& a) {
    a.each_part_back([&](auto k, auto p) SINTER_LAMBDA {
      constexpr int K = decltype(k)::value;
      a.template give<K>(p, a.slope(a.template in_output<K>(p)));
    });
  }
};

/// Numbers of a value by their positions, and the transposed map for their gradients.
struct IndexMap {
  template <class A>
  SINTER_FN static void forward(const A& a) {
    a.each_output([&](auto p) SINTER_LAMBDA { a.finish(p, a.template read<typename A::template Sum<false>>(p), 1); });
  }
  template <class A>
  SINTER_FN static void backward(const A& a) {
    a.template each<0>([&](auto p, int) SINTER_LAMBDA {
      a.template give<0>(p, a.template slopes<typename A::template Sum<true>>(p));
    });
  }
};

}  // namespace element_kernels

SINTER_NAMESPACE_END
