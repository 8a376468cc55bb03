// SPDX-License-Identifier: MIT
#include "support/graph_check.hpp"

#include <cstring>
#include <vector>

namespace sinter_test {

namespace {

/// Statistics of few numbers leave gradients that are nothing but rounding.
std::vector<std::size_t> batches_of(const AnyModel& model) {
  if (!model.buffers.empty()) return {9, 30};
  return {1, 5, 30};
}
void check_bits(const Gradients<double>& a, const Gradients<double>& b) {
  CHECK(std::memcmp(&a.loss, &b.loss, sizeof a.loss) == 0);
  CHECK(std::memcmp(a.parameters.data(), b.parameters.data(), a.parameters.size() * sizeof(double)) == 0);
  CHECK(std::memcmp(a.input.data(), b.input.data(), a.input.size() * sizeof(double)) == 0);
}

}  // namespace

void check_graph(const AnyModel& model, const AnyEngine<double>& reference, const AnyEngine<double>& engine,
                 bool alone) {
  INFO(layers_of(model));
  for (const std::size_t rows : batches_of(model)) {
    CAPTURE(rows);
    const Batch<double> problem(model, rows, static_cast<unsigned>(rows));
    expect(alone ? parameters_error_against(reference, engine, problem) : error_against(reference, engine, problem),
           1e-11);
    CHECK(norm_error(outputs_of(engine, problem), outputs_of(reference, problem)) < 1e-11);
  }
  if (alone) return;
  const std::size_t rows = model.buffers.empty() ? 5 : 9;
  expect(gradient_check(engine, smooth_batch(model, reference, rows, 3), 1.0 / static_cast<double>(rows), 20), 1e-6);
}

void check_fused(const AnyModel& model, const AnyEngine<double>& fused, const AnyEngine<double>& unfused) {
  INFO(layers_of(model));
  for (const std::size_t rows : batches_of(model)) {
    CAPTURE(rows);
    expect(error_against(fused, unfused, Batch<double>(model, rows, static_cast<unsigned>(rows))), 1e-11);
  }
}

void check_threads(const AnyModel& model, const AnyEngine<double>& reference,
                   std::span<const AnyEngine<double>* const> engines, std::size_t lanes) {
  INFO(layers_of(model));
  check_graph(model, reference, *engines[1]);
  // The last so large that threads share the batch of a small perceptron, too: kernels/host_layer has such for sanitizers.
  std::vector<std::size_t> batches{lanes + 1, 11 * lanes - 1, 5000};
  batches.resize(unless_sanitized(batches.size(), std::size_t{2}));
  for (const std::size_t rows : batches) {
    CAPTURE(rows);
    const Batch<double> problem(model, rows, static_cast<unsigned>(rows));
    const double scale = 1.0 / static_cast<double>(rows);
    const Gradients<double> one = gradients_of(*engines[0], problem, scale);
    for (const auto* engine : engines.subspan(rows < 100 ? 1 : 2))
      check_bits(one, gradients_of(*engine, problem, scale));
    if (rows < 100) check_rows_alone(*engines[0], problem);
  }
}

}  // namespace sinter_test
