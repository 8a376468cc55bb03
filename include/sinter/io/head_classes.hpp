// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sinter/core/macros.hpp"
#include "sinter/layers/inputs.hpp"
#include "sinter/model/outputs.hpp"

SINTER_NAMESPACE_BEGIN

/// The names of the classes of one of several heads.
struct HeadClasses {
  std::string head;                ///< its name; of one without a name its number, "0"
  std::vector<std::string> names;  ///< one for each class

  friend bool operator==(const HeadClasses&, const HeadClasses&) = default;
};

namespace detail {

/// Fails, beginning with `given`, unless the names are of different heads, as many as these have classes.
SINTER_COLD void check_head_classes(const std::vector<HeadClasses>& all, std::span<const RowPart> heads,
                                    const std::string& given);
template <class Model>
void check_head_classes_of(const std::vector<HeadClasses>& all, const std::string& given) {
  if (all.empty()) return;
  if constexpr (head_count<Model> > 0)
    check_head_classes(all, output_parts<Model>, given);
  else
    check_head_classes(all, {}, given);
}

}  // namespace detail

SINTER_NAMESPACE_END

namespace sinter {
using internal::HeadClasses;
}  // namespace sinter

#if SINTER_BODIES
#include "sinter/io/head_classes.ipp"
#endif
