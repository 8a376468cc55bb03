// SPDX-License-Identifier: MIT
#include "sinter/layers/options.hpp"

#include <doctest/doctest.h>

using namespace sinter::internal;

namespace {

static_assert(Kernel<3>.height == 3 && Kernel<3>.width == 3 && Kernel<3, 5>.height == 3 && Kernel<3, 5>.width == 5);
static_assert(layer_option::count<int>(3, NoBias, 4) == 2 && layer_option::count<layer_option::StrideTag>(3) == 0);
static_assert(layer_option::get<int>(7) == 7 && layer_option::get<int>(7, NoBias) == 7 &&
              layer_option::get<int>(7, NoBias, 3) == 3);
static_assert(layer_option::get<layer_option::GroupsTag>({1}, Stride<2>, Groups<4>, NoBias).groups == 4);

static_assert(layer_option::only<int, layer_option::NoBiasTag>());
static_assert(layer_option::only<int, layer_option::NoBiasTag>(NoBias, 3));
static_assert(!layer_option::only<int, layer_option::NoBiasTag>(3, 3));          // doubled
static_assert(!layer_option::only<int, layer_option::NoBiasTag>(3, Stride<2>));  // unknown
static_assert(!layer_option::only<int>(0.5));

static_assert(layer_option::window(true, 3) == Window{3, 3, 1, 1, 0, 0, 1, 1, 1});
static_assert(layer_option::window(false, 3) == Window{3, 3, 3, 3, 0, 0, 1, 1, 1});
static_assert(layer_option::window(true, Kernel<1, 2>, Stride<3, 4>, Padding<5, 6>, Dilation<7, 8>, Groups<9>) ==
              Window{1, 2, 3, 4, 5, 6, 7, 8, 9});
static_assert(!layer_option::positive(layer_option::window_as_given(true, 3, Stride<0>)) &&
              layer_option::window(true, 3, Stride<0>) == Window{});
static_assert(!layer_option::positive(layer_option::window_as_given(true, 3, Padding<-1>)));

}  // namespace

TEST_CASE("options are constants of the program") { CHECK(layer_option::window(true, 3).taps() == 9); }
