// SPDX-License-Identifier: MIT
// labels: large gpu
// Recurrent layers by the plans of the GPU, and under an executor that checks every access.
#include <cstddef>
#include <type_traits>
#include <vector>

#include "support/checked_executor.hpp"
#include "support/cuda_check.hpp"
#include "support/recurrent_networks.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

struct Gru : Sequential<Input<4, 3>, GRU<5, Bidirectional>, Tanh, GRU<3, FinalState, LearnedState>, Linear<2>> {};
struct Lstm : Sequential<Input<3, 2>, LSTM<4, ProjectionSize<3>, NumLayers<2>, DropoutBetween<0.5>>, Flatten> {};
struct Given
    : Sequential<Input<3, 2>, Recurrent<LSTM<2, FinalState>, Path<>, InitialState<Flatten, Linear<4>>,
                                        Lengths<Slice<0, 1>, Slice<0, 1, 2>, Flatten, networks::WholeNumber<3>>>> {};

struct Ahead : Sequential<Input<3, 2>, LSTM<4, ProjectionSize<3>, NumLayers<2>, LearnedState>, GRU<2>, Flatten> {};

template <KernelPlan Plan, class Model>
void step(Checker& checker, std::size_t rows, bool carries = false) {
  const Problem<Model, double> problem{Problem<Model>(rows, 3)};
  CudaOnHost<Model, double, Plan, CheckedLauncher> engine(2, CheckedLauncher{&checker});
  std::vector<double> before(rows * CarriedNumbers<Program<Model>>::size, 0.5), after(before.size());
  if (carries) engine.carried = {before.data(), after.data(), true};
  std::vector<double> y(rows * problem.outputs), gradient(problem.parameters.size()), input(problem.x.size());
  engine.forward(problem.parameters.data(), problem.x.data(), rows, y.data());
  engine.accumulate(problem.parameters.data(), problem.batch(), MSELoss{},
                    GradientSum{0.5, gradient.data(), input.data()});
}

}  // namespace

TEST_CASE("recurrent layers") { check_cuda(networks::Recurrents{}); }

TEST_CASE_TEMPLATE("recurrent layers touch nothing that they must not", Model, Gru, Lstm, Given) {
  for (const unsigned seed : {1u, 2u}) {
    Checker checker(seed);
    step<KernelPlan::phases, Model>(checker, 7);
    step<KernelPlan::tiles, Model>(checker, 5);
    for (const auto& finding : checker.findings()) FAIL_CHECK(finding);
  }
}

TEST_CASE_TEMPLATE("states that are carried are written for all rows, and touch nothing else", Model, Ahead, Given) {
  Checker checker(1);
  step<KernelPlan::phases, Model>(checker, 7, true);
  step<KernelPlan::tiles, Model>(checker, 5, true);
  for (const auto& finding : checker.findings()) FAIL_CHECK(finding);
}

TEST_CASE("a barrier left out between two steps is noticed") {
  int noticed = 0, tried = 0;
  for (int nth = 3; nth < 60; nth += 5, ++tried) {
    Checker checker(1, {Fault::barrier_left_out, nth});
    step<KernelPlan::phases, Lstm>(checker, 7);
    noticed += !checker.clean();
  }
  CHECK(noticed > tried / 2);
}
