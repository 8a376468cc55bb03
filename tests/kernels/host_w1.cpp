// SPDX-License-Identifier: MIT
// labels: large optimised
#include "support/host_check.hpp"

using namespace sinter::internal;
using namespace sinter_test;
using networks::W1;

namespace {
constexpr std::size_t many = unless_sanitized(std::size_t{200}, std::size_t{40});
}

TEST_CASE("W1 in double: central differences and the reference") {
  auto host = MakeHost<>{2}.make<W1, double>();
  for (const std::size_t rows : std::initializer_list<std::size_t>{1, 7})
    expect(gradient_check(host, smooth_problem<W1>(rows, 1, 1e-6), NLLLoss{}, 1.0 / static_cast<double>(rows), 10),
           1e-6);
  for (const std::size_t rows : std::initializer_list<std::size_t>{1, 3, 4, 5, many}) {
    CAPTURE(rows);
    const Problem<W1> problem(rows, 2);
    expect(host_error<W1, double>(host, problem, NLLLoss{}), 1e-11);
    expect(host_parameters_error<W1, double>(host, problem, NLLLoss{}), 1e-11);
    check_rows_alone(any_engine<double>(host, NLLLoss{}), problem);
  }
}

TEST_CASE("W1 in float against the reference in double") {
  auto host = MakeHost<>{3}.make<W1, float>();
  for (const std::size_t rows : std::initializer_list<std::size_t>{1, 7, 8, 9, many}) {
    CAPTURE(rows);
    const auto problem = smooth_problem<W1>(rows, 3, 2e-6);
    expect(host_parameters_error<W1, float>(host, problem, NLLLoss{}), 1e-5);
    check_rows_alone(any_engine<float>(host, NLLLoss{}), Problem<W1, float>(problem));
  }
}
