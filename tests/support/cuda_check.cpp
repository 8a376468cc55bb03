// SPDX-License-Identifier: MIT
#include "support/cuda_check.hpp"

namespace sinter_test {

void check_cuda_plan(KernelPlan plan, const AnyModel& model, const AnyEngine<double>& reference,
                     const AnyEngine<double>& engine) {
  INFO(layers_of(model));
  CAPTURE(static_cast<int>(plan));
  const WorstError differences = gradient_check(engine, smooth_batch(model, reference, 4, 1), 0.25, 30);
  CAPTURE(differences.tensor);
  CHECK(differences.error < 1e-6);
  for (const std::size_t rows : {std::size_t{1}, std::size_t{7}, std::size_t{131}}) {
    CAPTURE(rows);
    const Batch<double> problem(model, rows, static_cast<unsigned>(rows));
    const WorstError worst = error_against(reference, engine, problem);
    CAPTURE(worst.tensor);
    CHECK(worst.error < 1e-11);
  }
}

}  // namespace sinter_test
