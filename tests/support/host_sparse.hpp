// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/fn/identity.hpp"
#include "support/host_check.hpp"

/// The kernels that skip zeros: against central differences, against the reference and against the dense kernels.
namespace sinter_test {

/// y = x, which promises no zeros: between a convolution and its pool it brings the dense kernels on.
using Identity = sinter::fn::Identity;

/// No op, but a number: layers after it draw the same masks as after Identity.
struct Nothing {
  static constexpr const char* name = "Nothing";
  using Needs = sinter::needs::any_shape;
  using Ops = sinter::OpList<>;
  static constexpr bool accepts(sinter::Dims) { return true; }
  static constexpr sinter::Dims output(sinter::Dims in) { return in; }
};

template <class... L>
using List = sinter::internal::TypeList<L...>;

template <class Input, class Layers>
struct Joined;
template <class Input, class... L>
struct Joined<Input, List<L...>> : sinter::Sequential<Input, L...> {};

/// What the plan chooses for the convolution, without a gradient of the input: the taps of a row in the lanes, or the
/// channels.
enum class Kernels { taps, channels };

template <class Model, class T, bool InputGradient = false>
using PlanOf = sinter::internal::TilePlan<Model, T, sinter::isa::Native, InputGradient>;

/// The convolution (and its Dropout2d), then what makes zeros. With `Before`, layers that come first.
template <Kernels wanted, class Input, class Convolution, class Zeros, class Before = List<>>
void check_sparse() {
  using End = List<sinter::Flatten, sinter::Linear<3>>;
  using Sparse = Joined<Input, sinter::internal::concatenate<Before, Convolution, List<Nothing>, Zeros, End>>;
  using Dense =
      Joined<Input, sinter::internal::concatenate<Before, Convolution, List<sinter::Activation<Identity>>, Zeros, End>>;
  constexpr int stage = Before::size == 0 ? 0 : 1;
  constexpr bool taps = wanted == Kernels::taps;
  static_assert(PlanOf<Sparse, double>::sparse(stage) && PlanOf<Sparse, float>::sparse(stage));
  static_assert(PlanOf<Sparse, double, true>::sparse(stage));
  static_assert(PlanOf<Sparse, double>::taps_in_lanes(stage) == taps);
  static_assert(PlanOf<Sparse, float>::taps_in_lanes(stage) == taps);
  static_assert(!PlanOf<Sparse, double, true>::taps_in_lanes(stage));
  // Without a pool nothing keeps the plan from skipping zeros.
  constexpr bool dense_exists = PlanOf<Sparse, double>::stage(stage).pool >= 0;
  static_assert(PlanOf<Dense, double, true>::sparse(stage) != dense_exists);

  check_host(Case<Sparse, GivenGradient>{});
  auto sparse = MakeHost<>{2}.make<Sparse, double>();
  for (const unsigned rows : {1u, 4u, 7u, 30u}) {
    CAPTURE(rows);
    const auto problem = smooth_problem<Sparse>(rows, 5, 1e-5);
    expect(host_parameters_error<Sparse, double>(sparse, problem, GivenGradient{}), 1e-11);
    if constexpr (!sanitized) {
      auto in_float = MakeHost<>{3}.make<Sparse, float>();
      expect(host_parameters_error<Sparse, float>(in_float, problem, GivenGradient{}), 1e-5);
    }
    if constexpr (dense_exists && !sanitized) {
      auto dense = MakeHost<>{2}.make<Dense, double>();
      Problem<Dense> same(rows, 5);
      same.parameters = problem.parameters;
      same.x = problem.x;
      expect(compare<Sparse>(gradients_of(sparse, problem, GivenGradient{}, 0.5),
                             gradients_of(dense, same, GivenGradient{}, 0.5)),
             1e-11);
    }
  }
}

}  // namespace sinter_test
