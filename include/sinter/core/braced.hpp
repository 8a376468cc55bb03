// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <initializer_list>
#include <type_traits>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Numbers in braces, {1, 2} or {{1, 2}, {3, 4}}: the default of a template parameter, so that a function that needs to
/// know more of its argument can say so.
struct Braced {
  template <class Number>
    requires std::is_arithmetic_v<Number>
  Braced(Number) {}
  Braced(std::initializer_list<Braced>) {}
  const Braced* data() const { return this; }
  std::size_t size() const { return 0; }
};

}  // namespace detail

SINTER_NAMESPACE_END
