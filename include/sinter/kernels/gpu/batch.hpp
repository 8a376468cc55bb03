// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "sinter/core/macros.hpp"
#include "sinter/data/fold.hpp"
#include "sinter/ops/mask_key.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// What changes from epoch to epoch, in the memory of the device, so that the launches of an epoch can be recorded
/// once: the order of the rows, what keys their masks, and which rows are left out.
struct Epoch {
  const std::uint32_t* rows = nullptr;  // [size] the epoch's order; null: as stored, without those held out
  MaskKey key{};
  Fold held_out{};
};

/// A dataset in the memory of a device: inputs [rows][input] of float, double or bytes, scaled on loading; a label or a
/// row of numbers for each.
template <class Element, class Target, class T>
struct Rows {
  const Element* inputs = nullptr;
  const Target* targets = nullptr;
  T scale = 1, shift = 0;
};
/// The same with a weight for each row.
template <class Element, class Target, class T>
struct WeighedRows : Rows<Element, Target, T> {
  const T* weights = nullptr;
};
template <class Rows>
struct Weighed;
template <class Element, class Target, class T>
struct Weighed<Rows<Element, Target, T>> {
  using type = WeighedRows<Element, Target, T>;
};
template <class Data>
concept WeighsRows = requires(const Data& data) { data.weights; };

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
