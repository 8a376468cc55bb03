// SPDX-License-Identifier: MIT
// labels: large sanitized
#include "support/changed_weights.hpp"
#include "support/host_check.hpp"

using namespace sinter::internal;
using namespace sinter_test;
using networks::Chain;

// Windows of three rows and at least 16 channels on both sides go by Winograd's F(2, 3).
using Windows = TypeList<Chain<Input<16, 4, 5>, Conv2d<17, 3, Padding<1>>>,                           //
                         Chain<Input<17, 6, 9>, Conv2d<16, 3, NoBias>>,                               //
                         Chain<Input<16, 2, 8>, Conv2d<23, Kernel<3, 1>, Padding<1, 0>>>,             //
                         Chain<Input<19, 4, 3>, Conv2d<16, Kernel<3, 2>>, Tanh, Flatten, Linear<2>>,  //
                         Chain<Input<16, 4, 7>, Conv2d<16, Kernel<3, 5>, Padding<2, 3>>>>;
using Pools = TypeList<
    Chain<Input<2, 8, 10>, Conv2d<16, 3, Padding<1>>, Tanh, Conv2d<18, 3, Padding<1>>, Tanh, MaxPool2d<2>, Tanh>,
    Chain<Input<16, 4, 6>, Conv2d<16, 3, Padding<1>>, AvgPool2d<Kernel<1, 3>>, Tanh>,
    Chain<Input<16, 4, 5>, Conv2d<16, 3, Padding<1>>, MaxPool2d<Kernel<2, 1>>, Dropout<0.3>, Flatten, Linear<3>>,
    Chain<Input<16, 6, 5>, Conv2d<16, 3>, MaxPool2d<2>>>;
using Among = TypeList<
    Chain<Input<16, 6, 6>, Residual<Path<Conv2d<16, 3, Padding<1>, NoBias>, Tanh, Conv2d<16, 3, Padding<1>>>>, Tanh>,
    Chain<Input<16, 6, 6>, Conv2d<16, 5, Padding<2>>, Tanh, Conv2d<20, 3, Padding<1>>, Dropout2d<0.5>>>;

// Weights so wide that a tile takes dx row by row, of a number of rows and of columns that leaves a rest; and whose rows share
// a set of the cache.
using Wide = TypeList<Chain<Input<1, 23, 46>, Conv2d<1, Kernel<1, 2>>, Tanh, Flatten, Linear<69>, Tanh, Linear<2>>,
                      Chain<Input<1, 32, 32>, Conv2d<1, 1>, Tanh, Flatten, Linear<65>, Tanh, Linear<2>>>;

template <class Model>
using PlanOf = TilePlan<Model, float, isa::Native>;
static_assert(PlanOf<Sequential<Input<16, 4, 5>, Conv2d<17, 3, Padding<1>>>>::by_winograd(0));
static_assert(!PlanOf<Sequential<Input<15, 4, 5>, Conv2d<17, 3, Padding<1>>>>::by_winograd(0), "few channels");
static_assert(!PlanOf<Sequential<Input<16, 5, 5>, Conv2d<17, 3, Padding<1>>>>::by_winograd(0), "an odd height");
static_assert(!PlanOf<Sequential<Input<16, 5, 5>, Conv2d<16, 3, Stride<2>>>>::by_winograd(0), "a stride");

using WidePlan = PlanOf<Sequential<Input<1, 32, 32>, Conv2d<1, 1>, Tanh, Flatten, Linear<65>>>;
static_assert(host_kernels::MatMulBlocks<WidePlan, 1>::swept);
static_assert(host_kernels::MatMulBlocks<WidePlan, 1>::rows <= host_kernels::rows_of_a_set);

TEST_CASE("windows of three rows") { check_host(Windows{}); }
TEST_CASE("pools that ride after them") { check_host(Pools{}); }
TEST_CASE("among other ops") { check_host(Among{}); }
TEST_CASE("wide products after a convolution") { check_host(Wide{}); }
TEST_CASE("in float") { check_host_float(Pools{}); }

struct Images : Sequential<Input<16, 4, 5>, Conv2d<16, 3, Padding<1>>, Tanh, Conv2d<17, 3, Padding<1>>> {};
TEST_CASE("no transformed weights outlive a call") { check_changed_weights<Images>(); }
