// SPDX-License-Identifier: MIT
#include "sinter/kernels/host/plan/plan.hpp"

#include <doctest/doctest.h>

#include "sinter/layers/activation.hpp"
#include "sinter/layers/conv2d.hpp"
#include "sinter/layers/dropout.hpp"
#include "sinter/layers/flatten.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/layers/pool2d.hpp"
#include "support/w1.hpp"

using namespace sinter::internal;
using sinter_test::W1;

// Plans are constants of the program: all is checked when this file is compiled, for every instruction set.
namespace {

template <class Model, bool WithInputGradient = false>
using Plan = TilePlan<Model, float, isa::Avx512, WithInputGradient>;

/// Stage s begins with `source` and does the ops [first, last); `pool` rides.
template <class P>
constexpr bool stage_is(int s, Source source, int first, int last, int pool = -1) {
  const Stage& stage = P::stage(s);
  return stage.source == source && stage.first == first && stage.last == last && stage.pool == pool &&
         stage.input == first && stage.output == last;
}

// Four kernels and a row.
template <class P>
constexpr bool cuts_lenet() {
  return P::stage_count == 5 && stage_is<P>(0, Source::convolution, 0, 3, 1) &&
         stage_is<P>(1, Source::convolution, 3, 7, 5) && stage_is<P>(2, Source::matmul, 7, 10) &&
         stage_is<P>(3, Source::matmul, 10, 11) && stage_is<P>(4, Source::row, 11, 12);
}
static_assert(cuts_lenet<TilePlan<W1, float, isa::Portable>>());
static_assert(cuts_lenet<TilePlan<W1, float, isa::Avx2>>());
static_assert(cuts_lenet<TilePlan<W1, double, isa::Avx512>>());
static_assert(cuts_lenet<Plan<W1, true>>());
static_assert(Plan<W1>::stage(0).first_rider() == 1);

// Seven in eight of the first gradient are zeros, fifteen in sixteen of the second.
static_assert(Plan<W1>::sparse(0) && Plan<W1>::sparse(1));
static_assert(!Plan<W1>::sparse(2) && !Plan<W1>::sparse(3) && !Plan<W1>::sparse(4));
static_assert(Plan<W1>::taps_in_lanes(0) && !Plan<W1>::taps_in_lanes(1));
static_assert(!Plan<W1, true>::taps_in_lanes(0));                      // it makes no gradient of the input
static_assert(!TilePlan<W1, float, isa::Portable>::taps_in_lanes(0));  // 5 taps, 4 lanes
static_assert(!TilePlan<W1, double, isa::Avx512>::taps_in_lanes(0));   // the same
static_assert(!Plan<W1>::skips_channels(0));                           // no mask

// Values and gradients: stage 1 keeps its gradient pooled.
static_assert(Plan<W1>::source_dims(1) == image(20, 8, 8));
static_assert(Plan<W1>::output_dims(1) == image(20, 4, 4));
static_assert(Plan<W1>::gradient_dims(1) == image(20, 4, 4));
static_assert(TilePlan<W1, float, isa::Portable>::lanes == 4 && TilePlan<W1, float, isa::Avx2>::lanes == 8);
static_assert(Plan<W1>::lanes == 8 && Plan<W1>::wide_lanes == 16);
static_assert(TilePlan<W1, double, isa::Avx512>::lanes == 4);

// Nothing to fuse: every op a kernel of its own.
struct Unfused : Sequential<Input<2, 8, 8>, Conv2d<3, 3>, Conv2d<3, 3>, Flatten, Linear<4>, Linear<4>, Softmax> {};
static_assert(Plan<Unfused>::stage_count == 5);
static_assert(stage_is<Plan<Unfused>>(0, Source::convolution, 0, 1));
static_assert(stage_is<Plan<Unfused>>(3, Source::matmul, 3, 4));
static_assert(stage_is<Plan<Unfused>>(4, Source::row, 4, 5));
static_assert(!Plan<Unfused>::sparse(0) && !Plan<Unfused>::sparse(1));

// A pool rides only where its windows tile the image and fit in registers, and only one.
template <auto... Options>
struct Pooled : Sequential<Input<1, 12, 12>, Conv2d<2, 3>, MaxPool2d<Options...>, ReLU> {};
static_assert(stage_is<Plan<Pooled<2>>>(0, Source::convolution, 0, 3, 1));
static_assert(stage_is<Plan<Pooled<Kernel<1, 4>>>>(0, Source::convolution, 0, 3, 1));
template <class P>
constexpr bool pool_is_apart =
    P::stage_count == 2 && stage_is<P>(0, Source::convolution, 0, 1) && stage_is<P>(1, Source::pool, 1, 3);
static_assert(pool_is_apart<Plan<Pooled<3>>>);                // 9 taps
static_assert(pool_is_apart<Plan<Pooled<2, Stride<1>>>>);     // windows that overlap
static_assert(pool_is_apart<Plan<Pooled<2, Padding<1>>>>);    // a edge
static_assert(pool_is_apart<Plan<Pooled<2, Stride<2, 3>>>>);  // windows with gaps
struct TwoPools : Sequential<Input<1, 12, 12>, Conv2d<2, 5>, MaxPool2d<2>, MaxPool2d<2>> {};
static_assert(Plan<TwoPools>::stage_count == 2 && stage_is<Plan<TwoPools>>(1, Source::pool, 2, 3));
struct PoolFirst : Sequential<Input<1, 12, 12>, MaxPool2d<2>, ReLU, Conv2d<2, 3>> {};
static_assert(stage_is<Plan<PoolFirst>>(0, Source::pool, 0, 2));

// Element-wise ops with nothing to ride on work on a stored value; nothing rides on a row.
struct Elements : Sequential<Input<6>, Tanh, Dropout<0.5>, Softmax, ReLU, Sigmoid, Linear<2>> {};
static_assert(Plan<Elements>::stage_count == 4);
static_assert(stage_is<Plan<Elements>>(0, Source::map, 0, 2) && Plan<Elements>::stage(0).first_rider() == 0);
static_assert(stage_is<Plan<Elements>>(1, Source::row, 2, 3));
static_assert(stage_is<Plan<Elements>>(2, Source::map, 3, 5));
static_assert(stage_is<Plan<Elements>>(3, Source::matmul, 5, 6));

// Zeros are skipped where three in four are expected, in a gradient that stays pooled.
template <class... Riders>
struct Convolved : Sequential<Input<2, 12, 12>, Conv2d<4, 3>, Riders...> {};
template <class... Riders>
constexpr bool sparse = Plan<Convolved<Riders...>>::sparse(0);
static_assert(sparse<MaxPool2d<2>>);                   // 3 in 4
static_assert(!sparse<MaxPool2d<Kernel<1, 2>>>);       // 1 in 2
static_assert(sparse<MaxPool2d<Kernel<1, 2>>, ReLU>);  // 3 in 4
static_assert(!sparse<ReLU>);                          // 1 in 2
static_assert(sparse<ReLU, Dropout<0.5>>);             // 3 in 4
static_assert(!sparse<AvgPool2d<2>, ReLU>);            // a mean has no zeros, and needs all of its window
static_assert(!sparse<ReLU, MaxPool2d<2>>);            // ReLU below the pool
static_assert(!sparse<Dropout<0.5>, MaxPool2d<2>>);    // a mask of elements below it
static_assert(sparse<Dropout2d<0.5>, MaxPool2d<2>>);   // a mask of channels
static_assert(!sparse<Tanh>);
struct Grouped : Sequential<Input<2, 12, 12>, Conv2d<4, 3, Groups<2>>, MaxPool2d<2>, ReLU> {};
static_assert(!Plan<Grouped>::sparse(0));
struct ManyChannels : Sequential<Input<65, 6, 6>, Conv2d<4, 3>, MaxPool2d<2>, ReLU> {};
static_assert(!Plan<ManyChannels>::sparse(0));
static_assert(Plan<Convolved<MaxPool2d<2>>>::taps_in_lanes(0));
struct Bordered : Sequential<Input<2, 12, 12>, Conv2d<4, 3, Padding<1>>, MaxPool2d<2>, ReLU> {};
static_assert(Plan<Bordered>::sparse(0) && !Plan<Bordered>::taps_in_lanes(0));

}  // namespace

TEST_CASE("plans are constants of the program") { CHECK(Plan<W1>::stage_count == 5); }
