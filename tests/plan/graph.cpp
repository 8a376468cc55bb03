// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <string_view>

#include "sinter/kernels/host/inference.hpp"
#include "sinter/kernels/host/plan/memory.hpp"
#include "sinter/layers/activation.hpp"
#include "sinter/layers/batch_norm.hpp"
#include "sinter/layers/concat.hpp"
#include "sinter/layers/conv2d.hpp"
#include "sinter/layers/flatten.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/layers/residual.hpp"
#include "sinter/plan/gradient_order.hpp"
#include "sinter/plan/schedule.hpp"

using namespace sinter::internal;

// Graphs and schedules are constants of the program: all is checked when this file is compiled.
namespace {

template <class Model, bool Training = true>
using Cut = Stages<Model, host_kernels::Rules, Training>;

// x = linear(input); y = (linear(x) + x) + linear(x).
struct Fork : Sequential<Input<3>, Linear<4>, Residual<Path<Residual<Path<Linear<4>>>>, Shortcut<Linear<4>>>> {};
using P = Program<Fork>;
static_assert(P::op_count == 5 && P::value_count == 6 && P::parameter_count == 6 && P::buffer_count == 0);
static_assert(P::values[1].producer == 0 && P::values[1].read_count == 3);
static_assert(P::readers[static_cast<std::size_t>(P::values[1].first_read)] == 1 &&
              P::readers[static_cast<std::size_t>(P::values[1].first_read + 1)] == 2 &&
              P::readers[static_cast<std::size_t>(P::values[1].first_read + 2)] == 3);
static_assert(P::ops[2].kind == OpKind::add && P::ops[2].inputs[0] == 2 && P::ops[2].inputs[1] == 1);
static_assert(P::output_value == 5);
static_assert(P::parameters[2].name == "1.path.0.path.0.weight" && P::parameters[5].name == "1.shortcut.0.bias");

// Three stages: the sums ride on the products before them.
static_assert(Cut<Fork>::count == 3 && Cut<Fork>::at(1).last == 3 && Cut<Fork>::at(2).last == 5);
static_assert(Cut<Fork>::main_input(2) == 0 && Cut<Fork>::main_input(4) == 1);  // the shortcut's comes in registers

// The inner sum is taken while the outer one goes backward, so its add gives first; its product gives last.
using G = GradientOrder<Cut<Fork>>;
static_assert(G::turn(G::read(2, 1)) == 0 && G::turn(G::read(3, 0)) == 1 && G::turn(G::read(1, 0)) == 2);
static_assert(G::taken(5) == 3 && G::taken(3) == 3 && G::taken(1) == G::backward(1));
static_assert(G::in_turn(1, 1) == G::read(3, 0));

// One value read twice by one op: each read has its turn.
struct Twice : Sequential<Input<3>, Linear<2>, Residual<Path<>>> {};
static_assert(GradientOrder<Cut<Twice>>::read(1, 0) + 1 == GradientOrder<Cut<Twice>>::read(1, 1));
static_assert(Program<Twice>::values[1].read_count == 2 && Cut<Twice>::count == 2);

// Between statistics and what reads them the whole batch must have arrived; in inference nothing waits, and they ride.
struct Normalized : Sequential<Input<2, 6, 6>, Conv2d<3, 3>, BatchNorm2d<>, ReLU, Conv2d<4, 3>, BatchNorm2d<>, ReLU> {};
using N = Program<Normalized>;
static_assert(N::buffer_count == 4 && N::buffers[0].name == "1.running_mean" && N::buffers[3].name == "4.running_var");
static_assert(N::parameters[2].name == "1.weight" && N::parameters[2].start == Start::ones);
static_assert(N::storage_size == N::arena_size + 4 * parameter_alignment);
static_assert(N::values[2].of_batch && !N::values[3].of_batch);
static_assert(Cut<Normalized>::count == 6 && Cut<Normalized>::at(1).source == Source::statistics &&
              Cut<Normalized>::at(2).source == Source::normalize && Cut<Normalized>::at(2).last == 4);
static_assert(Schedule<Cut<Normalized>>::count == 3 && Schedule<Cut<Normalized>>::first(1) == 2 &&
              Schedule<Cut<Normalized>>::first(2) == 5);
static_assert(Cut<Normalized, false>::count == 2 && Cut<Normalized, false>::at(0).last == 4 &&
              Schedule<Cut<Normalized, false>>::count == 1);
static_assert(Schedule<Cut<Fork>>::count == 1);

// The two statistics of a block with a shortcut: one more wait, because the path's is read before the other is gathered.
template <class... After>
using Block = Sequential<Input<2, 6, 6>, Conv2d<3, 3>,
                         Residual<Path<Conv2d<3, 1>, BatchNorm2d<>>, Shortcut<Conv2d<3, 1>, BatchNorm2d<>>>, After...>;
static_assert(Schedule<Cut<Block<>>>::count == 3);

// Convolutions with borders of one shape share a place where their lives do not meet.
struct Deep : Sequential<Input<3, 8, 8>, Conv2d<4, 3, Padding<1>>, ReLU, Conv2d<4, 3, Padding<1>>, ReLU,
                         Conv2d<4, 3, Padding<1>>, ReLU, Conv2d<4, 3, Padding<1>>, ReLU, Conv2d<4, 3, Padding<1>>> {};
using Plan = TilePlan<Deep, float, isa::Avx2>;
constexpr auto inference = host_kernels::Layout<Plan>::lay_out(false);
static_assert(inference.value[2].bordered() && inference.value[2].offset == inference.value[6].offset);
static_assert(inference.value[2].offset != inference.value[4].offset);
constexpr auto training = host_kernels::Layout<Plan>::lay_out(true);
static_assert(training.value[2].offset != training.value[6].offset);  // backward reads both
static_assert(inference.packs < training.packs);

// By the plan `single`, a value with a border that is also read as a row has a copy without it; one that others read in its shape has none.
template <class Model>
constexpr bool copies_input = host_kernels::SinglePlan<TilePlan<Model, float, isa::Native>>::copied(0);
struct Both : Sequential<Input<2, 4, 4>, Concat<Path<Conv2d<1, 3, Padding<1>>, Flatten>, Path<Flatten, Linear<3>>>> {};
struct Images : Sequential<Input<2, 4, 4>, Concat<Path<Conv2d<1, 3, Padding<1>>>, Path<Tanh>>, Flatten, Linear<3>> {};
static_assert(copies_input<Both> && !copies_input<Images>);

}  // namespace

TEST_CASE("graphs are constants of the program") { CHECK(std::string_view(P::ops[2].name) == "add"); }
