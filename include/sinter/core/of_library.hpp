// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Whether a loss or a functor is sinter's own, and names itself `OfLibrary`: it reads and writes its row alone, as its
/// tests show, and is the same in every file of a program. A type that derives from it is another one.
template <class T>
inline constexpr bool is_of_library = requires { requires std::is_same_v<typename T::OfLibrary, T>; };

}  // namespace detail

SINTER_NAMESPACE_END
