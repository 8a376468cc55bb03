// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/kernels/gpu/batch_norm.hpp"
#include "sinter/kernels/gpu/concat.hpp"
#include "sinter/kernels/gpu/convolution.hpp"
#include "sinter/kernels/gpu/index_map.hpp"
#include "sinter/kernels/gpu/lookup.hpp"
#include "sinter/kernels/gpu/map.hpp"
#include "sinter/kernels/gpu/matmul.hpp"
#include "sinter/kernels/gpu/matrix_product.hpp"
#include "sinter/kernels/gpu/multiply.hpp"
#include "sinter/kernels/gpu/pool.hpp"
#include "sinter/kernels/gpu/recurrence.hpp"
#include "sinter/kernels/gpu/row.hpp"
#include "sinter/kernels/gpu/transposed_convolution.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

template <int S, class X, class Tile>
SINTER_FN void forward_stage(X& x, const Tile& tile) {
  using G = typename Tile::template At<S>;
  constexpr Source source = G::stage.source;
  if constexpr (source == Source::matmul)
    matmul_forward<S>(x, tile);
  else if constexpr (source == Source::convolution)
    convolution_forward<S>(x, tile);
  else if constexpr (source == Source::pool)
    pool_forward<S>(x, tile);
  else if constexpr (source == Source::row)
    row_forward<S>(x, tile);
  else if constexpr (source == Source::concat)
    concat_forward<S>(x, tile);
  else if constexpr (source == Source::transposed)
    transposed_forward<S>(x, tile);
  else if constexpr (source == Source::lookup)
    lookup_forward<S>(x, tile);
  else if constexpr (source == Source::multiply)
    multiply_forward<S>(x, tile);
  else if constexpr (source == Source::index_map)
    index_map_forward<S>(x, tile);
  else if constexpr (source == Source::matrix_product)
    matrix_product_forward<S>(x, tile);
  else if constexpr (source == Source::recurrence)
    recurrence_forward<S>(x, tile);
  else if constexpr (source == Source::normalize)
    batch_norm_forward<S>(x, tile);
  else if constexpr (source == Source::group_normalize)
    group_norm_forward<S>(x, tile);
  else {
    static_assert(source == Source::map, "sinter: the Cuda device has no kernel for this kind of op");
    map_forward<S>(x, tile);
  }
}

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
