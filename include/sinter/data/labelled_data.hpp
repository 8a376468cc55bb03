// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sinter/core/text.hpp"
#include "sinter/data/dataset.hpp"

SINTER_NAMESPACE_BEGIN

/// A dataset that owns its rows, row-major [rows][S], and a label for each.
template <class T, class S, std::integral Label>
class LabelledData {
 public:
  LabelledData() = default;
  /// Fails unless `inputs` holds S::size numbers for each label.
  LabelledData(std::vector<T> inputs, std::vector<Label> labels, Normalize normalize)
      : inputs_(std::move(inputs)), labels_(std::move(labels)), normalize_(normalize) {
    if (inputs_.size() % S::size != 0 || inputs_.size() / S::size != labels_.size())
      fail(joined({"a dataset with ", labels_.size(), " labels was given ", inputs_.size(),
                   " input numbers, which is not ", static_cast<std::size_t>(S::size),
                   " for each label; pass whole rows, one a label"}));
  }
  LabelledData(std::vector<T> inputs, std::vector<Label> labels)
      : LabelledData(std::move(inputs), std::move(labels), Normalize{}) {
    constexpr bool scaled = !needs_scale<T>;
    static_assert(scaled,
                  "sinter: integers need a scale: LabelledData(inputs, labels, Normalize::pixels(mean, deviation))");
  }
  TensorView<const T, S> inputs() const { return {inputs_.data(), labels_.size()}; }
  std::span<const Label> targets() const { return labels_; }
  std::size_t size() const { return labels_.size(); }
  Normalize normalize() const { return normalize_; }

 private:
  std::vector<T> inputs_;
  std::vector<Label> labels_;
  Normalize normalize_;
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::LabelledData;
}  // namespace sinter
