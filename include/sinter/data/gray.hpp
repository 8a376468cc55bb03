// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "sinter/data/labelled_data.hpp"

SINTER_NAMESPACE_BEGIN

/// The brightness of colour pictures of bytes, 0.299 R + 0.587 G + 0.114 B rounded to a byte: a dataset of one channel
/// that owns its rows. It is scaled as the pictures are by default.
template <Dataset D>
auto gray(const D& pictures, Normalize normalize) {
  using Row = typename inputs_of<D>::Shape;
  constexpr bool coloured = Row::rank == 3 && Row::dims.channels == 3 &&
                            std::is_same_v<typename inputs_of<D>::Value, const std::uint8_t> && has_labels<D>;
  static_assert(coloured, "sinter: gray() takes a dataset of bytes [3][H][W], red, green and blue, with labels");
  constexpr int height = Row::dims.height, width = Row::dims.width;
  const auto& from = pictures.inputs();
  std::vector<std::uint8_t> inputs;
  inputs.reserve(pictures.size() * static_cast<std::size_t>(height * width));
  for (std::size_t row = 0; row < pictures.size(); ++row)
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        const int thousandfold = 299 * from(row, 0, y, x) + 587 * from(row, 1, y, x) + 114 * from(row, 2, y, x);
        inputs.push_back(static_cast<std::uint8_t>((thousandfold + 500) / 1000));
      }
  const auto targets = pictures.targets();
  using Label = std::remove_cvref_t<decltype(targets[0])>;
  return LabelledData<std::uint8_t, Shape<1, height, width>, Label>(std::move(inputs), {targets.begin(), targets.end()},
                                                                    normalize);
}
/// Scaled as the pictures in color are.
template <Dataset D>
auto gray(const D& pictures) {
  return gray(pictures, normalize_of(pictures));
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::gray;
}  // namespace sinter
