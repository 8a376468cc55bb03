// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/data/changes_by_epoch.hpp"
#include "sinter/data/data_view.hpp"
#include "sinter/data/dataset_concept.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// A dataset that owns its rows, as a view of all of them: what is compiled for views serves it, too. Other data as
/// they are.
template <class D>
decltype(auto) viewed(const D& data) {
  if constexpr (!Dataset<D> || is_view_of_data<D> || ChangesByEpoch<D>)
    return (data);
  else if constexpr (HasWeights<D>)
    return DataView(data.inputs(), data.targets(), normalize_of(data), data.weights());
  else
    return DataView(data.inputs(), data.targets(), normalize_of(data));
}

}  // namespace detail

SINTER_NAMESPACE_END
