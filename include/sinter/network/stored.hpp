// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "sinter/core/half.hpp"
#include "sinter/kernels/host/plan/weight_rows.hpp"
#include "sinter/model/program.hpp"
#include "sinter/network/fingerprint.hpp"

SINTER_NAMESPACE_BEGIN

/// How the weights of a network are stored. Arithmetic is in floats.
enum class Storage : std::uint8_t {
  float32,  ///< as the kernels read them
  float16,  ///< IEEE's half precision, for tensors of two and more dimensions but the table of a PositionEmbedding
  int8,     ///< one byte for each of these, and a scale for each output channel (each row of a weight)
  panels,   ///< floats, the weights of a Linear in the order in which the kernels of one row read them
};

/// A number of Storage::panels. The weight of a Linear, [out][in], is stored in panels of 16 outputs, [out /
/// 16][in][16].
struct PanelFloat {
  float value = 0;
  constexpr PanelFloat() = default;
  constexpr PanelFloat(float x) : value(x) {}
};

namespace detail {
/// The type of the numbers of a storage.
template <Storage Kind>
using NumberOf =
    std::conditional_t<Kind == Storage::float32, float,
                       std::conditional_t<Kind == Storage::float16, std::uint16_t,
                                          std::conditional_t<Kind == Storage::int8, std::int8_t, PanelFloat>>>;
}  // namespace detail

/// Represents the floats of weights that are all floats.
struct NoFloats {
  static constexpr const float* data() { return nullptr; }
};

/// Weights as a constant of a program: `numbers` in the order of the network's tensors; `floats` are those not stored
/// in fewer bits (tensors of one dimension, scales). export_header() writes one.
template <class Number, std::uint64_t Fingerprint, std::size_t Numbers, std::size_t Floats>
struct Stored {
  static constexpr Storage storage = std::is_same_v<Number, float>           ? Storage::float32
                                     : std::is_same_v<Number, std::uint16_t> ? Storage::float16
                                     : std::is_same_v<Number, std::int8_t>   ? Storage::int8
                                                                             : Storage::panels;
  static constexpr std::uint64_t fingerprint = Fingerprint;
  alignas(64) std::array<Number, Numbers> numbers;
  [[no_unique_address]] std::conditional_t<Floats == 0, NoFloats, std::array<float, Floats>> floats;
};

namespace detail {

/// How many numbers and floats a stored model has, and in which order.
template <class Model>
struct StoragePlan {
  using Ops = Program<Model>;
  struct Size {
    std::size_t numbers = 0, floats = 0;
    friend constexpr bool operator==(const Size&, const Size&) = default;
  };
  /// Whether the products of a tensor have one of its rows for each output: the table of a PositionEmbedding, [Steps,
  /// Size], is the weight of Steps Size outputs.
  static constexpr bool rows_are_outputs(const Parameter& p) {
    for (const Op& op : Ops::ops)
      if (op.kind == OpKind::product && op.whole && op.out.size() != p.shape[0] &&
          Ops::parameters[static_cast<std::size_t>(op.weight)].offset == p.offset)
        return false;
    return true;
  }
  static constexpr bool in_fewer_bits(const Parameter& p) { return p.rank > 1 && rows_are_outputs(p); }
  /// Whether a tensor is the weight of products with whole samples, and of nothing else.
  static constexpr bool in_panels(const Parameter& p) {
    bool found = false;
    for (const Op& op : Ops::ops) {
      if (op.kind != OpKind::product || Ops::parameters[static_cast<std::size_t>(op.weight)].offset != p.offset)
        continue;
      if (!op.whole) return false;
      found = true;
    }
    return found && rows_are_outputs(p);
  }
  static constexpr int panel = host_kernels::PanelWeight::panel;  // outputs
  /// Rows and columns of a tensor as it is stored in panels; one column where it is not.
  struct Matrix {
    int rows, columns, stored_rows;
    /// Of number i of the tensor.
    constexpr int place(int i) const {
      const int row = i / columns;
      return (row / panel * columns + i % columns) * panel + row % panel;
    }
  };
  static constexpr Matrix matrix_of(const Parameter& p) {
    const int rows = in_panels(p) ? p.shape[0] : p.size;
    return {rows, p.size / rows, (rows + panel - 1) / panel * panel};
  }

  /// A tensor in fewer bits, or in panels, where each begins on a cache line.
  static constexpr Size size_of(const Parameter& p, Storage storage) {
    const auto size = static_cast<std::size_t>(p.size);
    if (storage == Storage::panels) {
      const Matrix matrix = matrix_of(p);
      return {static_cast<std::size_t>(matrix.stored_rows * matrix.columns), 0};
    }
    if (!in_fewer_bits(p)) return {0, size};
    return {size, storage == Storage::int8 ? static_cast<std::size_t>(p.shape[0]) : 0};
  }
  static constexpr Size size(Storage storage) {
    if (storage == Storage::float32) return {static_cast<std::size_t>(Ops::storage_size), 0};
    Size all;
    const auto add = [&](const Parameter& p) {
      const Size own = size_of(p, storage);
      all = {all.numbers + own.numbers, all.floats + own.floats};
    };
    for (const Parameter& p : Ops::parameters) add(p);
    for (const Parameter& p : Ops::buffers) add(p);
    return all;
  }

  /// Converts stored weights to the array that kernels for any number of rows read.
  template <class Number>
  static constexpr void unpack(const Number* numbers, const float* floats, float* to) {
    const auto take = [&](const Parameter& p) {
      if constexpr (std::is_same_v<Number, PanelFloat>) {
        const Matrix matrix = matrix_of(p);
        for (int i = 0; i < p.size; ++i) to[p.offset + i] = numbers[matrix.place(i)].value;
        numbers += size_of(p, Storage::panels).numbers;
        return;
      } else {
        const int rows = in_fewer_bits(p) ? p.shape[0] : 1, columns = p.size / rows;
        for (int row = 0; row < rows; ++row) {
          float* const begin = to + p.offset + row * columns;
          if (!in_fewer_bits(p)) {
            for (int i = 0; i < columns; ++i) begin[i] = *floats++;
          } else if constexpr (std::is_same_v<Number, std::int8_t>) {
            const float scale = *floats++;
            for (int i = 0; i < columns; ++i) begin[i] = scale * static_cast<float>(*numbers++);
          } else {
            for (int i = 0; i < columns; ++i) begin[i] = half_to_float(*numbers++);
          }
        }
      }
    };
    for (const Parameter& p : Ops::parameters) take(p);
    for (const Parameter& p : Ops::buffers) take(p);
  }
};

}  // namespace detail

/// The type of stored weights of a model.
template <class Model, class Number>
using StoredFor =
    Stored<Number, fingerprint<Model>, detail::StoragePlan<Model>::size(Stored<Number, 0, 0, 0>::storage).numbers,
           detail::StoragePlan<Model>::size(Stored<Number, 0, 0, 0>::storage).floats>;

SINTER_NAMESPACE_END

namespace sinter {
using internal::PanelFloat;
using internal::Storage;
using internal::Stored;
}  // namespace sinter
