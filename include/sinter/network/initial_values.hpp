// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "sinter/core/aligned.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/model/program.hpp"
#include "sinter/network/initialize.hpp"
#include "sinter/network/network_options.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// The arena of a new network: parameters as the options say, and buffers.
template <class Scalar>
SINTER_SHARED AlignedArray<Scalar> initial_values(const NetworkOptions& options, int size,
                                                  std::span<const Parameter> parameters,
                                                  std::span<const Parameter> buffers) {
  AlignedArray<Scalar> values(static_cast<std::size_t>(size));
  const auto start = [&](const Parameter& p) {
    const std::span<Scalar> numbers(values.data() + p.offset, static_cast<std::size_t>(p.size));
    if (p.start == Start::drawn)
      initialize(numbers, options.initialization, p, options.seed);
    else if (p.start == Start::xavier)
      initialize(
          numbers,
          options.initialization == Initialization::pytorch ? Initialization::xavier_uniform : options.initialization,
          p, options.seed);
    else if (p.start == Start::normal)  // N(sqrt(2 / 2))
      initialize(numbers, Initialization::kaiming_normal, false, 2, 2, options.seed, p.stream);
    else
      std::fill(numbers.begin(), numbers.end(), static_cast<Scalar>(first_number(p.start)));
  };
  for (const Parameter& p : parameters) start(p);
  for (const Parameter& p : buffers) start(p);
  return values;
}
template <class Ops, class Scalar>
AlignedArray<Scalar> initial_values(const NetworkOptions& options) {
  return initial_values<Scalar>(options, Ops::storage_size, std::span<const Parameter>(Ops::parameters),
                                std::span<const Parameter>(Ops::buffers));
}

}  // namespace detail

SINTER_NAMESPACE_END
