// SPDX-License-Identifier: MIT
#include "support/host_check.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <vector>

namespace sinter_test {

namespace {

template <class T>
void check_rows(const AnyEngine<T>& engine, const Batch<T>& problem) {
  const std::vector<T> all = outputs_of(engine, problem);
  std::vector<T> one(problem.outputs);
  // What the row before left in memory must not reach the next one. Whole numbers may be indices of a table.
  std::vector<T> strange(problem.x.begin(), problem.x.begin() + static_cast<std::ptrdiff_t>(problem.inputs));
  for (T& x : strange)
    if (x != std::round(x)) x = std::numeric_limits<T>::quiet_NaN();
  engine.forward(problem.parameters.data(), strange.data(), 1, one.data());
  for (std::size_t row = 0; row < std::min(problem.rows, unless_sanitized(problem.rows, std::size_t{2})); ++row) {
    engine.forward(problem.parameters.data(), problem.x.data() + row * problem.inputs, 1, one.data());
    CAPTURE(row);
    CHECK(std::memcmp(one.data(), all.data() + row * problem.outputs, one.size() * sizeof(T)) == 0);
  }
}

}  // namespace

void check_rows_alone(const AnyEngine<float>& engine, const Batch<float>& problem) { check_rows(engine, problem); }
void check_rows_alone(const AnyEngine<double>& engine, const Batch<double>& problem) { check_rows(engine, problem); }

void expect(const WorstError& worst, double most) {
  CAPTURE(worst.tensor);
  CHECK(worst.error < most);
}

void check_host(const AnyModel& model, const AnyEngine<double>& reference, const AnyEngine<double>& host,
                std::size_t lanes, std::initializer_list<std::size_t> more) {
  INFO(layers_of(model));
  expect(gradient_check(host, smooth_batch(model, reference, 7, 1), 1.0 / 7, 15), 1e-6);
  std::vector<std::size_t> batches{1, std::max<std::size_t>(lanes, 2) - 1, lanes, lanes + 1, 3 * lanes + 2};
  batches.insert(batches.end(), more);
  for (const std::size_t rows : batches) {
    CAPTURE(rows);
    const Batch<double> problem(model, rows, static_cast<unsigned>(rows));
    expect(error_against(reference, host, problem), 1e-11);
    check_rows_alone(host, problem);
  }
}

void check_host_float(const AnyModel& model, const AnyEngine<double>& reference, const AnyEngine<float>& host,
                      double most) {
  INFO(layers_of(model));
  for (const std::size_t rows : {std::size_t{1}, std::size_t{7}, std::size_t{8}, std::size_t{9}, std::size_t{50}}) {
    CAPTURE(rows);
    const Batch<double> problem = smooth_batch(model, reference, rows, static_cast<unsigned>(rows), 1e-5);
    expect(error_against(reference, host, problem), most);
    check_rows_alone(host, Batch<float>(problem));
  }
}

}  // namespace sinter_test
