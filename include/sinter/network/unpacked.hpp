// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "sinter/network/model_of.hpp"
#include "sinter/network/packed.hpp"

SINTER_NAMESPACE_BEGIN

/// Weights that are stored in fewer bits or in panels, as the floats that kernels read, in this object:
/// parameter_bytes<Model> of memory, static or wherever it is made.
///
///     static Unpacked<LeNet> weights(lenet);    // lenet: from a header, or bytes of save_packed()
///     const View<LeNet> net(weights);
template <class ModelType, class Model = detail::ModelOf<ModelType>>
class Unpacked {
  using Plan = detail::StoragePlan<Model>;

 public:
  template <class Number, std::uint64_t Of, std::size_t Numbers, std::size_t Floats>
  constexpr explicit Unpacked(const Stored<Number, Of, Numbers, Floats>& stored) {
    static_assert(Of == fingerprint<Model>,
                  "sinter: these weights belong to another model: export them from a network of this one");
    if constexpr (Stored<Number, Of, Numbers, Floats>::storage == Storage::float32)
      values_ = stored.numbers;
    else
      Plan::unpack(stored.numbers.data(), stored.floats.data(), values_.data());
  }
  explicit Unpacked(std::span<const std::byte> packed) {
    const detail::PackedParts parts = detail::parts_of_packed<Model>(packed);
    const auto* const floats = reinterpret_cast<const float*>(parts.floats);
    if (parts.storage == Storage::float32)
      std::memcpy(values_.data(), parts.numbers, sizeof values_);
    else if (parts.storage == Storage::float16)
      Plan::unpack(reinterpret_cast<const std::uint16_t*>(parts.numbers), floats, values_.data());
    else if (parts.storage == Storage::int8)
      Plan::unpack(reinterpret_cast<const std::int8_t*>(parts.numbers), floats, values_.data());
    else
      Plan::unpack(reinterpret_cast<const PanelFloat*>(parts.numbers), floats, values_.data());
  }
  constexpr const float* data() const { return values_.data(); }
  constexpr float* data() { return values_.data(); }

 private:
  alignas(64) std::array<float, static_cast<std::size_t>(Program<Model>::storage_size)> values_{};
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::Unpacked;
}  // namespace sinter
