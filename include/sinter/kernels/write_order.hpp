// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sinter/kernels/steps.hpp"

SINTER_NAMESPACE_BEGIN

/// The rows of an epoch in the order of its batches, `size` of them. Of sequences in chunks, whose number the batches
/// divide, the sequences have an order, and a batch of them goes from chunk to chunk.
void write_order(const EpochOrder& order, std::size_t size, std::vector<std::uint32_t>& rows);

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/kernels/write_order.ipp"
#endif
