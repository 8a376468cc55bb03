// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include "sinter/kernels/host/plan/given_places.hpp"
#include "sinter/kernels/host/single/image_adjoint.hpp"
#include "sinter/kernels/host/single/single_lookup.hpp"
#include "sinter/kernels/host/single/single_matrix_product.hpp"
#include "sinter/kernels/host/single/single_pointwise.hpp"
#include "sinter/kernels/host/single/single_products.hpp"
#include "sinter/kernels/host/single/single_recurrence.hpp"
#include "sinter/kernels/host/step/load.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// The kernel of stage S and of all that equal it.
template <class P, int S, class W>
SINTER_SHARED void shared_single_kernel(const Single<P, W>& single,
                                        const typename GivenPlaces<SinglePlan<P>, S, Pass::forward>::Offsets& offsets) {
  using Places = GivenPlaces<SinglePlan<P>, S, Pass::forward>;
  SingleKernel<P::stage(S).source>::template forward<P, S>(
      Single<P, W, Places>{single.memory, single.parameters, single.batch, Places(offsets)});
}
template <class P, int S, class W>
void single_stage(const Single<P, W>& single) {
  using Equal = EqualStages<SinglePlan<P>, Pass::forward>;
  constexpr int first = Equal::first(S);
  if constexpr (Equal::shared(S) && std::is_pointer_v<W> && !SinglePlan<P>::reads_copies(S))
    shared_single_kernel<P, first>(single, offsets_of_stage<SinglePlan<P>, first, Pass::forward, S>);
  else
    SingleKernel<P::stage(S).source>::template forward<P, S>(single);
}

/// To be called before value V is written.
template <class P, int V, class W>
void begin_value(const Single<P, W>& single) {
  constexpr Place place = SinglePlan<P>::value(V);
  if constexpr (SinglePlan<P>::shares_borders && place.bordered())
    place.each_of_border([&](Spot at, int numbers) SINTER_LAMBDA {
      for (int i = 0; i < numbers; ++i) *single.at(at + i) = 0;
    });
}
/// Copies value V to where it has no border, if a stage reads it there.
template <class P, int V, class W>
void copy_value(const Single<P, W>& single) {
  if constexpr (SinglePlan<P>::copied(V)) {
    constexpr Place from = SinglePlan<P>::value(V), to = SinglePlan<P>::copy(V);
    for (int c = 0; c < to.dims.channels; ++c)
      for (int y = 0; y < to.dims.height; ++y)
        std::copy_n(single.at(from.at(c, y, 0)), to.dims.width, single.at(to.at(c, y, 0)));
  }
}

/// One row of a batch. Returns the address of its outputs.
template <class P, class W, class View>
const typename P::Scalar* forward_single(const Single<P, W>& single, const BatchInputs<View>& inputs, std::size_t row) {
  using V = typename P::V;
  constexpr Place in = SinglePlan<P>::value(0);
  constexpr Dims d = in.dims;
  if constexpr (!in.bordered()) {
    load_row<typename P::ISA, V>(inputs, inputs.choice[row], single.at(in.begin()));
  } else {
    begin_value<P, 0>(single);  // rows are copied between the borders
    typename P::Scalar* const plain = single.memory + SinglePlan<P>::plain_input;
    load_row<typename P::ISA, V>(inputs, inputs.choice[row], plain);
    for (int c = 0; c < d.channels; ++c)
      for (int y = 0; y < d.height; ++y)
        std::copy_n(plain + (c * d.height + y) * d.width, d.width, single.at(in.at(c, y, 0)));
  }
  copy_value<P, 0>(single);
  unroll<P::stage_count>([&](auto s) SINTER_LAMBDA {
    begin_value<P, P::stage(decltype(s)::value).output>(single);
    single_stage<P, decltype(s)::value>(single);
    copy_value<P, P::stage(decltype(s)::value).output>(single);
  });
  return single.at(SinglePlan<P>::value(P::Ops::output_value).begin());
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
