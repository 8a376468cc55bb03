// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "sinter/core/aligned.hpp"
#include "sinter/int8/instructions.hpp"
#include "sinter/int8/weights.hpp"

SINTER_NAMESPACE_BEGIN

namespace int8 {

/// The weights of a product in the groups of an instruction set, from those that a network keeps.
template <class Isa>
void regroup(const Geometry& g, const std::int8_t* from, std::int8_t* to) {
  const int kept = g.runs.groups_of(kept_group), own = g.runs.groups_of(Isa::group);
  for (int run = 0; run < g.groups * g.panels() * g.runs.outer * g.runs.inner; ++run)
    for (int k = 0; k < own * Isa::group; ++k)
      for (int o = 0; o < panel; ++o)
        to[((run * own + k / Isa::group) * panel + o) * Isa::group + k % Isa::group] =
            from[((run * kept + k / kept_group) * panel + o) * kept_group + k % kept_group];
}

/// The constants of a network with a copy of the weights of its products as an instruction set takes them, where that
/// is not as they are kept. It begins at the same places.
template <class Model, class Isa>
struct Prepared : Weights<Model> {
  static constexpr bool copies = Isa::group != kept_group;

  explicit Prepared(Weights<Model> kept) : Weights<Model>(std::move(kept)), copy(copies ? this->weights.size() : 0) {
    if constexpr (copies)
      for (std::size_t i = 0; i < Plan<Model>::ops.size(); ++i)
        if (Plan<Model>::ops[i].role == Role::product) {
          const int place = Layout<Model>::of(i).weights;
          regroup<Isa>(Geometry::of(Program<Model>::ops[i]), this->weights.data() + place, copy.data() + place);
        }
  }
  const std::int8_t* products() const {
    if constexpr (copies)
      return copy.data();
    else
      return this->weights.data();
  }

  AlignedArray<std::int8_t> copy;
};

}  // namespace int8

SINTER_NAMESPACE_END
