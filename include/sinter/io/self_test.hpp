// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/core/finite.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/core/math.hpp"
#include "sinter/core/pack_sqrt.hpp"
#include "sinter/core/tensor.hpp"
#include "sinter/io/about.hpp"
#include "sinter/network/network.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

inline constexpr std::size_t self_test_rows = 2;

/// Inputs for a self-test: zeros and ones, which take little room and which also are the indices of an embedding.
SINTER_COLD std::vector<double> self_test_inputs(std::size_t count);

/// The outputs of a network for rows of inputs, [rows][output].
template <class Net>
std::vector<typename Net::Scalar> outputs_for(const Net& net, const std::vector<double>& inputs) {
  using T = typename Net::Scalar;
  const Tensor<T, typename Net::InputRow> x(std::vector<T>(inputs.begin(), inputs.end()));
  if constexpr (Net::on_host) {
    std::vector<T> y(x.rows() * Net::output_size);
    typename Net::Engine::Workspace workspace(net.device());
    Net::Engine::forward_tiles(net.data(), BatchInputs<TensorView<const T, typename Net::InputRow>>{x.view()}, x.rows(),
                               workspace, y.data());
    return y;
  } else {
    auto workspace = net.workspace(x.rows());
    const auto y = net.forward(x, workspace);
    return {y.data, y.data + x.rows() * Net::output_size};
  }
}

/// The self-test as JSON; empty if an output is not finite.
template <class Net>
std::string make_self_test(const Net& net) {
  const auto x = self_test_inputs(self_test_rows * Net::input_size);
  const auto y = outputs_for(net, x);
  if (!all_finite(y.data(), y.size())) return {};
  return joined({"{\"inputs\":", json_rows(x.data(), self_test_rows, Net::input_size),
                 ",\"outputs\":", json_rows(y.data(), self_test_rows, Net::output_size), "}"});
}

/// A message about a self-test whose inputs all have another size than those of a network; else empty.
SINTER_COLD std::string self_test_of_other_size(const SelfTest& test, std::size_t inputs);

/// The concatenated rows; fails unless each has this many numbers.
SINTER_COLD std::vector<double> flattened(const std::vector<std::vector<double>>& rows, std::size_t size,
                                          const std::string& what, const std::string& file);

/// Fails unless two lists of outputs agree: |a - b| / |b| in the 2-norm.
template <class T>
SINTER_COLD void check_self_test(const std::vector<T>& given, const std::vector<double>& wanted, double tolerance,
                                 const std::string& file) {
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const double d = static_cast<double>(given[i]) - wanted[i];
    difference += d * d;
    norm += wanted[i] * wanted[i];
  }
  const double error = fn::sqrt(difference) / (fn::sqrt(norm) + 1e-12);
  if (is_finite(error) && error <= tolerance) return;
  fail(joined({"the self-test of ", file,
               " failed: with its weights this network gives outputs with a relative error of ", exact_text(error),
               " from those that it gave when it was saved, expected at most ", exact_text(tolerance),
               "; the network has other layers than the one that was saved (an activation, a stride), or the file was ",
               "changed; LoadOptions{.self_test = false} loads it all the same"}));
}

/// How close outputs computed elsewhere must be, for weights stored as this type.
SINTER_COLD double self_test_tolerance(const std::vector<NamedTensor>& tensors);

}  // namespace detail

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/io/self_test.ipp"
#endif
