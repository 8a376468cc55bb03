// SPDX-License-Identifier: MIT
#pragma once

// The kernels that name no model, for numbers of float and the instruction set SINTER_COMPILED_KERNELS: a program
// declares them and takes them from the library of cmake/kernels.cpp, which defines SINTER_KERNEL as `template`. A
// kernel that is missing here is compiled by each program that needs it. Model libraries have kernels for several
// instruction sets, and nvcc's programs their own.
#if defined(SINTER_COMPILED_KERNELS) && !defined(__CUDACC__) && !defined(SINTER_LIBRARY_X86) && \
    !defined(SINTER_LIBRARY_PART)

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "sinter/core/isa.hpp"
#include "sinter/core/pack.hpp"
#include "sinter/fn/gelu.hpp"
#include "sinter/fn/identity.hpp"
#include "sinter/fn/log_softmax.hpp"
#include "sinter/fn/relu.hpp"
#include "sinter/fn/sigmoid.hpp"
#include "sinter/fn/silu.hpp"
#include "sinter/fn/softmax.hpp"
#include "sinter/fn/tanh.hpp"
#include "sinter/kernels/host/products/product_of_tiles.hpp"
#include "sinter/kernels/host/stages/batch_gradient.hpp"
#include "sinter/kernels/host/stages/matmul.hpp"
#include "sinter/kernels/host/step/arena_updates.hpp"
#include "sinter/kernels/host/step/load.hpp"
#include "sinter/kernels/host/step/slot_sums.hpp"
#include "sinter/kernels/host/step/step.hpp"
#include "sinter/kernels/host/step/update.hpp"
#include "sinter/loss/cross_entropy.hpp"
#include "sinter/loss/nll.hpp"
#include "sinter/optimizer/adam.hpp"
#include "sinter/optimizer/adamw.hpp"
#include "sinter/optimizer/sgd.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

namespace compiled {
using Isa = isa::SINTER_COMPILED_KERNELS;
using V = Pack<float, Isa::vector_bytes / 4>;
using Wide = Pack<float, Isa::wide_bytes / 4>;
template <class Optimizer>
using Update = decltype(std::declval<const Optimizer&>().template at<float>(1L));
}  // namespace compiled

#ifndef SINTER_KERNEL
#define SINTER_KERNEL extern template
#endif

// Blocks of products, as block_of() chooses them: rows, and tiles or packs of columns.
#define SINTER_PRODUCT(rows, tiles)                                                                                    \
  SINTER_KERNEL void product_of_tiles<compiled::Isa, rows, tiles, compiled::V>(const MatrixRows<float>&, const float*, \
                                                                               std::ptrdiff_t, int, bool, float*);
#define SINTER_OUTER(rows, packs)                                                            \
  SINTER_KERNEL void outer_product_of_batch<compiled::Isa, rows, packs, false, compiled::V>( \
      OuterProduct<float>, float*, std::ptrdiff_t, int, float*, int);
#define SINTER_SMALL_BLOCKS(kernel, n) kernel(1, n) kernel(2, n) kernel(4, n) kernel(6, n)
SINTER_SMALL_BLOCKS(SINTER_PRODUCT, 1)
SINTER_PRODUCT(8, 1)
SINTER_PRODUCT(12, 1)
SINTER_SMALL_BLOCKS(SINTER_PRODUCT, 2)
SINTER_SMALL_BLOCKS(SINTER_PRODUCT, 3)
SINTER_SMALL_BLOCKS(SINTER_PRODUCT, 4)
SINTER_SMALL_BLOCKS(SINTER_OUTER, 1)
SINTER_OUTER(8, 1)
SINTER_OUTER(12, 1)
SINTER_SMALL_BLOCKS(SINTER_OUTER, 2)
SINTER_OUTER(8, 2)
SINTER_OUTER(12, 2)
SINTER_SMALL_BLOCKS(SINTER_OUTER, 3)
SINTER_OUTER(8, 3)
SINTER_SMALL_BLOCKS(SINTER_OUTER, 4)
#undef SINTER_PRODUCT
#undef SINTER_OUTER
#undef SINTER_SMALL_BLOCKS

SINTER_KERNEL void batch_weight_gradient<compiled::Isa, compiled::V>(const BatchOperands<float>&,
                                                                     const ProductOfBatch<float>&, int, float*, float*,
                                                                     float*, float*);

// Products with tiles, and the map that rides on them.
#define SINTER_MULTIPLY(...)                                                        \
  SINTER_KERNEL void shared_group_product<compiled::Isa, compiled::V, __VA_ARGS__>( \
      const GroupProduct<compiled::Isa, float>&, const GroupMemory<float>&);
#define SINTER_MAP(F)                          \
  SINTER_MULTIPLY(MapOfTiles<F, false, float>) \
  SINTER_MULTIPLY(MapBackOfTiles<F, float>)
SINTER_MAP(fn::Identity)
SINTER_MAP(fn::Relu)
SINTER_MAP(fn::Tanh)
SINTER_MAP(fn::Sigmoid)
SINTER_MAP(fn::Gelu)
SINTER_MULTIPLY(MapOfTiles<fn::Gelu, true, float>)
SINTER_MAP(fn::Silu)
SINTER_MULTIPLY(MapOfTiles<fn::Silu, true, float>)
#undef SINTER_MAP
#undef SINTER_MULTIPLY

// Products of one tile.
SINTER_KERNEL void sweep_rows<compiled::Isa, compiled::V>(const float*, const float*, int, int, float*);
SINTER_KERNEL void transpose_to_rows<compiled::Isa, compiled::V>(const float*, int, float*, int);
SINTER_KERNEL void outer_product<compiled::Isa, compiled::V>(const float*, int, const float*, int, int, float*);

// Samples as they are loaded, and outputs as rows.
#define SINTER_LOAD(U)                                                                                          \
  SINTER_KERNEL void load_contiguous<compiled::Isa, compiled::V>(const U*, int, Normalize, float*);             \
  SINTER_KERNEL void load_chosen<compiled::Isa, compiled::V>(const U*, std::ptrdiff_t, RowChoice, std::size_t,  \
                                                             std::size_t, int, Normalize, float*);              \
  SINTER_KERNEL void load_sample<compiled::Isa, compiled::V>(const StridedSamples<U>&, Normalize, std::size_t,  \
                                                             float*);                                           \
  SINTER_KERNEL void load_samples<compiled::Isa, compiled::V>(const StridedSamples<U>&, RowChoice, std::size_t, \
                                                              std::size_t, Normalize, float*, int, float*);
SINTER_LOAD(float)
SINTER_LOAD(std::uint8_t)
#undef SINTER_LOAD
SINTER_KERNEL void rows_to_packs<compiled::Isa, compiled::V>(const float*, int, int, float*);
SINTER_KERNEL void shared_packs_to_rows<compiled::Isa, compiled::V>(const float*, int, std::size_t, float*);

// Functions of rows, and losses.
#define SINTER_ROWS(F)                                                                                       \
  SINTER_KERNEL void shared_rows<compiled::Isa, F, compiled::V>(const compiled::V*, compiled::V*, int, int); \
  SINTER_KERNEL void shared_rows_back<compiled::Isa, F, compiled::V>(const compiled::V*, compiled::V*, int, int);
SINTER_ROWS(fn::Softmax)
SINTER_ROWS(fn::LogSoftmax)
#undef SINTER_ROWS
#define SINTER_LOSS(Loss, Label)                                                                                     \
  SINTER_KERNEL double shared_loss<compiled::Isa, compiled::V>(                                                      \
      const Loss&, const BatchTargets<std::span<const Label>>&, std::size_t, std::size_t, float, const compiled::V*, \
      int, compiled::V*, double*);
SINTER_LOSS(CrossEntropyLoss, int)
SINTER_LOSS(CrossEntropyLoss, std::uint8_t)
SINTER_LOSS(NLLLoss, int)
SINTER_LOSS(NLLLoss, std::uint8_t)
#undef SINTER_LOSS

// Sums of gradients, and updates.
SINTER_KERNEL void sum_of_slots<compiled::Isa, slot_block / compiled::V::lanes>(const float* const*, int, int, int, int,
                                                                                compiled::V*);
SINTER_KERNEL void add_slots_of<compiled::Isa>(Stretch, const float* const*, int, int, float*, float, compiled::V&);
SINTER_KERNEL void add_batch_of<compiled::Isa>(Stretch, const float*, float*, float, compiled::V&);
#define SINTER_UPDATE(Optimizer)                                                                                      \
  SINTER_KERNEL float update_numbers<Optimizer::states, compiled::Isa, compiled::Wide>(                               \
      const compiled::Update<Optimizer>&, float*, const float*, float*, std::ptrdiff_t, int, int);                    \
  SINTER_KERNEL bool ArenaUpdates<compiled::Isa, float>::apply(const UpdateStep<Optimizer>&, const Arenas<float>&)    \
      const;                                                                                                          \
  SINTER_KERNEL bool ArenaUpdates<compiled::Isa, float>::is_sound(const UpdateStep<Optimizer>&, const Arenas<float>&, \
                                                                  bool, bool) const;
SINTER_UPDATE(SGD)
SINTER_UPDATE(Adam)
SINTER_UPDATE(AdamW)
#undef SINTER_UPDATE
#undef SINTER_KERNEL

}  // namespace host_kernels

SINTER_NAMESPACE_END

#endif
