// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <vector>

#include "support/host.hpp"
#include "support/networks.hpp"

/// What every network must satisfy on the host: gradients by central differences, everything against the reference, and
/// each row of a batch as if it were alone.
namespace sinter_test {

using sinter::TypeList;

/// Sanitizers make compilers several times slower: there, float is left to a few tests (it is the same source).
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif
#else
inline constexpr bool sanitized = false;
#endif

template <class Model, class T>
std::vector<T> outputs_of(auto& engine, const Problem<Model, T>& problem) {
  std::vector<T> y(problem.rows * problem.outputs);
  engine.forward(problem.parameters.data(), problem.x.data(), problem.rows, y.data());
  return y;
}

/// The outputs of a batch are, bit by bit, those of its rows alone.
template <class Model, class T>
void check_rows_alone(auto& engine, const Problem<Model, T>& problem) {
  const std::vector<T> all = outputs_of(engine, problem);
  std::vector<T> one(problem.outputs);
  for (std::size_t row = 0; row < problem.rows; ++row) {
    engine.forward(problem.parameters.data(), problem.x.data() + row * problem.inputs, 1, one.data());
    CAPTURE(row);
    CHECK(std::memcmp(one.data(), all.data() + row * problem.outputs, one.size() * sizeof(T)) == 0);
  }
}

/// The loss of a random gradient may be next to 0: its error is taken of the number of rows besides.
template <class T>
void judge_loss(WorstError& worst, Gradients<T>& got, double want, std::size_t rows) {
  worst.add("loss", norm_error(std::vector{got.loss}, std::vector{want}, static_cast<double>(rows)));
  got.loss = want;
}

/// Outputs, losses and all gradients of the host, in T, against the reference in double.
template <class Model, class T>
WorstError host_error(auto& host, const Problem<Model>& problem, const auto& loss) {
  sinter::ReferenceEngine<Model, double> reference;
  const Problem<Model, T> own(problem);
  const double scale = 1.0 / static_cast<double>(problem.rows);
  auto got = gradients_of(host, own, loss, static_cast<T>(scale));
  const auto want = gradients_of(reference, problem, loss, scale);
  WorstError worst;
  judge_loss(worst, got, want.loss, problem.rows);
  const WorstError gradients = compare<Model>(got, want);
  worst.add(gradients.tensor, gradients.error);
  worst.add("output", norm_error(outputs_of(host, own), outputs_of(reference, problem)));
  return worst;
}

/// The same for the plan that makes no gradient of the input, which may choose other kernels.
template <class Model, class T>
WorstError host_parameters_error(auto& host, const Problem<Model>& problem, const auto& loss) {
  sinter::ReferenceEngine<Model, double> reference;
  const Problem<Model, T> own(problem);
  const double scale = 1.0 / static_cast<double>(problem.rows);
  auto want = gradients_of(reference, problem, loss, scale);
  Gradients<T> got{0, std::vector<T>(own.parameters.size()), {}};
  got.loss = host.accumulate_parameters(own.parameters.data(), own.x.data(), own.rows, own, own.samples.data(), own.key,
                                        static_cast<T>(scale), loss, got.parameters.data());
  want.input.clear();
  WorstError worst;
  judge_loss(worst, got, want.loss, problem.rows);
  const WorstError gradients = compare<Model>(got, want);
  worst.add(gradients.tensor, gradients.error);
  return worst;
}

inline void expect(const WorstError& worst, double most) {
  CAPTURE(worst.tensor);
  CHECK(worst.error < most);
}

/// One network, in double: the plan with a gradient of the input.
template <class Model, class Loss, class Isa = sinter::isa::Native>
void check_host(Case<Model, Loss>, std::initializer_list<std::size_t> more = {}) {
  constexpr std::size_t lanes = sinter::TilePlan<Model, double, Isa>::lanes;
  INFO(layers_of<Model>());
  auto host = MakeHost<Isa>{2}.template make<Model, double>();
  for (const std::size_t rows : {std::size_t{1}, std::size_t{7}}) {
    CAPTURE(rows);
    expect(gradient_check(host, smooth_problem<Model>(rows, 1), Loss{}, 1.0 / static_cast<double>(rows), 30), 1e-6);
  }
  std::vector<std::size_t> batches{1, lanes - 1, lanes, lanes + 1, 3 * lanes + 2};
  batches.insert(batches.end(), more);
  for (const std::size_t rows : batches) {
    CAPTURE(rows);
    const Problem<Model> problem(rows, static_cast<unsigned>(rows));
    expect(host_error<Model, double>(host, problem, Loss{}), 1e-11);
    check_rows_alone(host, problem);
  }
}
template <class... Cases>
void check_host(TypeList<Cases...>) {
  (check_host(Cases{}), ...);
}

/// One network, in float against the reference in double.
template <class Model, class Loss, class Isa = sinter::isa::Native>
void check_host_float(Case<Model, Loss>, double most = 1e-5) {
  INFO(layers_of<Model>());
  auto host = MakeHost<Isa>{3}.template make<Model, float>();
  for (const std::size_t rows : {std::size_t{1}, std::size_t{7}, std::size_t{8}, std::size_t{9}, std::size_t{50}}) {
    CAPTURE(rows);
    const Problem<Model> problem = smooth_problem<Model>(rows, static_cast<unsigned>(rows), 1e-5);
    expect(host_error<Model, float>(host, problem, Loss{}), most);
    check_rows_alone(host, Problem<Model, float>(problem));
  }
}
template <class... Cases>
void check_host_float(TypeList<Cases...>) {
  if constexpr (!sanitized) (check_host_float(Cases{}), ...);
}

}  // namespace sinter_test
