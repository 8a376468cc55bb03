// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <cstring>
#include <vector>

#include "support/cuda_on_host.hpp"
#include "support/networks.hpp"

/// What every network must satisfy in every plan of the Cuda device, run on the host executor: gradients by central
/// differences, everything against the reference, and the plans against one another.
namespace sinter_test {

template <class Model, class T>
std::vector<T> outputs_of(auto& engine, const Problem<Model, T>& problem) {
  std::vector<T> y(problem.rows * problem.outputs);
  engine.forward(problem.parameters.data(), problem.x.data(), problem.rows, y.data());
  return y;
}

template <class Model, class T, class Loss>
WorstError cuda_error(auto& engine, const Problem<Model>& problem, const Loss& loss) {
  sinter::ReferenceEngine<Model, double> reference;
  const Problem<Model, T> own(problem);
  const double scale = 1.0 / static_cast<double>(problem.rows);
  auto got = gradients_of(engine, own, loss, static_cast<T>(scale));
  const auto want = gradients_of(reference, problem, loss, scale);
  WorstError worst;
  // The loss of a random gradient may be next to 0: its error is taken of the number of rows besides.
  worst.add("loss", norm_error(std::vector{got.loss}, std::vector{want.loss}, static_cast<double>(problem.rows)));
  got.loss = want.loss;
  const WorstError gradients = compare<Model>(got, want);
  worst.add(gradients.tensor, gradients.error);
  worst.add("output", norm_error(outputs_of(engine, own), outputs_of(reference, problem)));
  CHECK(engine.all_answered());
  return worst;
}

template <KernelPlan Plan, class Model, class Loss>
void check_cuda_plan(Case<Model, Loss>) {
  CAPTURE(static_cast<int>(Plan));
  CudaOnHost<Model, double, Plan> engine;
  const WorstError differences = gradient_check(engine, smooth_problem<Model>(4, 1), Loss{}, 0.25, 30);
  CAPTURE(differences.tensor);
  CHECK(differences.error < 1e-6);
  for (const std::size_t rows : {std::size_t{1}, std::size_t{7}, std::size_t{131}}) {
    CAPTURE(rows);
    const Problem<Model> problem(rows, static_cast<unsigned>(rows));
    const WorstError worst = cuda_error<Model, double>(engine, problem, Loss{});
    CAPTURE(worst.tensor);
    CHECK(worst.error < 1e-11);
  }
}
template <class... Cases>
void check_cuda(sinter::TypeList<Cases...>) {
  const auto check = [&]<class Model, class Loss>(Case<Model, Loss> one) {
    INFO(layers_of<Model>());
    check_cuda_plan<KernelPlan::tiles>(one);
    check_cuda_plan<KernelPlan::phases>(one);
  };
  (check(Cases{}), ...);
}

}  // namespace sinter_test
