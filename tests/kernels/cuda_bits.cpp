// SPDX-License-Identifier: MIT
// labels: large gpu
#include <doctest/doctest.h>

#include "support/cuda_on_host.hpp"
#include "support/networks.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

using Model = networks::EveryOp;

template <KernelPlan Plan>
Gradients<float> gradients(std::size_t rows, int fit, int grid) {
  const Problem<Model, float> problem{Problem<Model>(rows, 4)};
  CudaOnHost<Model, float, Plan> engine(fit, {}, grid);
  return gradients_of(engine, problem, NLLLoss{}, 0.01f);
}
bool same(const Gradients<float>& a, const Gradients<float>& b) {
  return a.loss == b.loss && sinter_test::same(a.parameters, b.parameters) && sinter_test::same(a.input, b.input);
}

}  // namespace

TEST_CASE("one plan gives the same bits in any grid, and twice in a row") {
  for (const std::size_t rows : {std::size_t{1}, std::size_t{9}, std::size_t{150}}) {
    CAPTURE(rows);
    const auto tiles = gradients<KernelPlan::tiles>(rows, 3, 3), phases = gradients<KernelPlan::phases>(rows, 3, 3);
    for (const int grid : {1, 3, 7, 132}) {
      CAPTURE(grid);
      CHECK(same(gradients<KernelPlan::tiles>(rows, 3, grid), tiles));
      CHECK(same(gradients<KernelPlan::phases>(rows, 3, grid), phases));
    }
  }
}

TEST_CASE("plans, and tiles of any size, differ by rounding alone") {
  for (const std::size_t rows : {std::size_t{1}, std::size_t{9}, std::size_t{150}}) {
    CAPTURE(rows);
    const auto want = gradients<KernelPlan::tiles>(rows, 3, 3);
    for (const auto& got : {gradients<KernelPlan::tiles>(rows, 1, 3), gradients<KernelPlan::tiles>(rows, 64, 3),
                            gradients<KernelPlan::phases>(rows, 3, 3)}) {
      const WorstError worst = compare<Model>(got, want);
      CAPTURE(worst.tensor);
      CHECK(worst.error < 1e-6);
    }
  }
}
