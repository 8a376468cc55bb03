// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "sinter/core/random.hpp"
#include "sinter/io/self_test.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION std::vector<double> self_test_inputs(std::size_t count) {
  std::vector<double> bits(count);
  for (std::size_t i = 0; i < count; ++i)
    bits[i] = philox(Words<std::uint32_t>{{static_cast<std::uint32_t>(i), 0, 0, 0}}, std::uint64_t{0}).word[0] & 1u;
  return bits;
}

SINTER_FUNCTION std::string self_test_of_other_size(const SelfTest& test, std::size_t inputs) {
  const std::size_t size = test.inputs[0].size();
  for (const auto& row : test.inputs)
    if (row.size() != size || size == inputs) return {};
  return joined({"the self-test has inputs of ", size, " numbers, and this network has ", inputs});
}

SINTER_FUNCTION std::vector<double> flattened(const std::vector<std::vector<double>>& rows, std::size_t size,
                                              const std::string& what, const std::string& file) {
  std::vector<double> all;
  for (const auto& row : rows) {
    if (row.size() != size)
      fail(joined({"the self-test of ", file, " has ", what, " of ", row.size(), " numbers, and this network has ",
                   size, "; load it into the network that it was saved from"}));
    all.insert(all.end(), row.begin(), row.end());
  }
  return all;
}

SINTER_FUNCTION double self_test_tolerance(const std::vector<NamedTensor>& tensors) {
  double tolerance = 1e-4;
  for (const auto& tensor : tensors) {
    const double of_type = tensor.type == ElementType::bf16 ? 0.1 : tensor.type == ElementType::f16 ? 0.02 : 0;
    if (of_type > tolerance) tolerance = of_type;
  }
  return tolerance;
}

}  // namespace detail

SINTER_NAMESPACE_END
