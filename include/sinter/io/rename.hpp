// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/io/named_tensor.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// The name of a tensor in a file, and that in the network; or prefixes of names, if `from` ends in "." or is empty.
struct RenameRule {
  std::string from, to;
};

SINTER_COLD std::string names_of(const std::vector<NamedTensor>& tensors);

/// Tensors with the names that rules give them: by the first rule that applies to a name, or unchanged.
SINTER_COLD std::vector<NamedTensor> renamed(const std::vector<NamedTensor>& tensors,
                                             const std::vector<RenameRule>& rules, std::string_view file);

}  // namespace detail

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/io/rename.ipp"
#endif
