// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/error.hpp"
#include "sinter/core/finite.hpp"

SINTER_NAMESPACE_BEGIN

/// The precision in which a network computes and stores its parameters.
struct Float32 {
  using Scalar = float;
};
/// Double precision.
struct Float64 {
  using Scalar = double;
};

namespace detail {
/// Fails if numbers became infinite as numbers of fewer bits. `message` says where.
template <class From, class To>
SINTER_COLD void check_narrowed(const From* from, const To* to, int count,
                                const char* message =
                                    "a network with a weight that is too large for a float was "
                                    "assigned to one of floats; keep a Network<Model, Host, "
                                    "Float64>") {
  for (int i = 0; i < count && sizeof(To) < sizeof(From); ++i)
    if (is_finite(from[i]) && !is_finite(to[i])) fail(message);
}
}  // namespace detail

SINTER_NAMESPACE_END

namespace sinter {
using internal::Float32;
using internal::Float64;
}  // namespace sinter
