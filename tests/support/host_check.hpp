// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <initializer_list>
#include <type_traits>
#include <utility>

#include "support/host.hpp"
#include "support/make_reference.hpp"
#include "support/networks.hpp"
#include "support/sanitized.hpp"

/// What every network must satisfy on the host: gradients by central differences, everything against the reference, and
/// each row of a batch as if it were alone.
namespace sinter_test {

using sinter::internal::TypeList;

/// The outputs of a batch are, bit for bit, those of its rows alone.
void check_rows_alone(const AnyEngine<float>& engine, const Batch<float>& problem);
void check_rows_alone(const AnyEngine<double>& engine, const Batch<double>& problem);

/// Outputs, losses and all gradients of the host, in T, against the reference in double.
template <class Model, class T>
WorstError host_error(auto& host, const Problem<Model>& problem, const auto& loss) {
  sinter::internal::ReferenceEngine<Model, double> reference;
  return error_against(any_engine<double>(reference, loss), any_engine<T>(host, loss), problem);
}

/// A host by the plan that makes no gradient of the input.
template <class Host>
struct ParametersAlone {
  Host& host;
  void forward(const auto* parameters, const auto* x, std::size_t rows, auto* y) {
    host.forward(parameters, x, rows, y);
  }
  template <class T>
  double accumulate(const T* parameters, const auto& batch, const auto& loss,
                    const sinter::internal::GradientSum<T, T*>& to) {
    return host.accumulate_parameters(parameters, batch, loss, {to.scale, to.gradient});
  }
};

/// Losses and gradients of the parameters by the plan that makes none of the input, which may choose other kernels.
template <class Model, class T>
WorstError host_parameters_error(auto& host, const Problem<Model>& problem, const auto& loss) {
  sinter::internal::ReferenceEngine<Model, double> reference;
  ParametersAlone parameters_alone{host};
  return parameters_error_against(any_engine<double>(reference, loss), any_engine<T>(parameters_alone, loss), problem);
}

void expect(const WorstError& worst, double most);

/// One network, in double: the plan with a gradient of the input.
void check_host(const AnyModel& model, const AnyEngine<double>& reference, const AnyEngine<double>& host,
                std::size_t lanes, std::initializer_list<std::size_t> more);
template <class Model, class Loss, class Isa = sinter::isa::Native>
void check_host(Case<Model, Loss>, std::initializer_list<std::size_t> more = {}) {
  sinter::internal::ReferenceEngine<Model, double> reference;
  auto host = MakeHost<Isa>{2}.template make<Model, double>();
  check_host(any_model<Model>(), any_engine<double>(reference, Loss{}), any_engine<double>(host, Loss{}),
             sinter::internal::TilePlan<Model, double, Isa>::lanes, more);
}
template <class... Cases>
void check_host(TypeList<Cases...>) {
  (check_host(Cases{}), ...);
}

/// One network, in float against the reference in double.
void check_host_float(const AnyModel& model, const AnyEngine<double>& reference, const AnyEngine<float>& host,
                      double most);
template <class Model, class Loss, class Isa = sinter::isa::Native>
void check_host_float(Case<Model, Loss>, double most = 1e-5) {
  sinter::internal::ReferenceEngine<Model, double> reference;
  auto host = MakeHost<Isa>{3}.template make<Model, float>();
  check_host_float(any_model<Model>(), any_engine<double>(reference, Loss{}), any_engine<float>(host, Loss{}), most);
}
/// Every other network, since float is the same source in packs of twice as many lanes, and compiling is most of the time
/// of these tests. Under sanitizers, which make compilers several times slower, it is left to layers/pytorch.
template <class... Cases>
void check_host_float(TypeList<Cases...>) {
  const auto check = []<std::size_t I>(std::integral_constant<std::size_t, I>, auto network) {
    if constexpr (!sanitized && I % 2 == 0) check_host_float(network);
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (check(std::integral_constant<std::size_t, I>{}, Cases{}), ...);
  }(std::index_sequence_for<Cases...>{});
}

/// Gradients of the reference by central differences, and the host against it, in double and in float.
template <class... Cases>
void check_reference_and_host(TypeList<Cases...> networks) {
  check_gradients(MakeReference{}, networks);
  check_host(networks);
  check_host_float(networks);
}

}  // namespace sinter_test
