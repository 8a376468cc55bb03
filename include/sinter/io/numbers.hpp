// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>

#include "sinter/core/finite.hpp"
#include "sinter/core/half.hpp"
#include "sinter/data/fits_in.hpp"
#include "sinter/io/named_tensor.hpp"

SINTER_NAMESPACE_BEGIN

/// The upper half of a float.
inline float bfloat_to_float(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

constexpr bool is_floating(ElementType type) {
  return type == ElementType::f64 || type == ElementType::f32 || type == ElementType::f16 || type == ElementType::bf16;
}
constexpr bool is_integer(ElementType type) {
  switch (type) {
    case ElementType::i64:
    case ElementType::u64:
    case ElementType::i32:
    case ElementType::u32:
    case ElementType::i16:
    case ElementType::u16:
    case ElementType::i8:
    case ElementType::u8:
    case ElementType::boolean:
      return true;
    default:
      return false;
  }
}

namespace detail {

template <class Stored, class Value, class To>
bool copy_numbers_as(std::span<const std::byte> from, Value value, std::byte* to) {
  bool fits = true;
  for (std::size_t i = 0; i < from.size() / sizeof(Stored); ++i) {
    Stored stored;
    std::memcpy(&stored, from.data() + i * sizeof stored, sizeof stored);
    const auto number = value(stored);
    const bool one_fits = fits_in<To>(number);
    fits = fits && one_fits;
    const To converted = one_fits ? static_cast<To>(number) : To(0);
    std::memcpy(to + i * sizeof converted, &converted, sizeof converted);
  }
  return fits;
}

/// Converts stored numbers to type To; `to` has room for them. Numbers that cannot be converted become 0; false if
/// there are any.
template <class To>
SINTER_COLD bool copy_numbers(ElementType type, std::span<const std::byte> from, std::byte* to) {
  const auto as = [&]<class Stored>(Stored) {
    return copy_numbers_as<Stored, Stored (*)(Stored), To>(from, [](Stored x) { return x; }, to);
  };
  using Half = std::uint16_t;
  switch (type) {
    case ElementType::f64:
      return as(double{});
    case ElementType::f32:
      return as(float{});
    case ElementType::f16:
      return copy_numbers_as<Half, float (*)(Half), To>(from, half_to_float, to);
    case ElementType::bf16:
      return copy_numbers_as<Half, float (*)(Half), To>(from, bfloat_to_float, to);
    case ElementType::i64:
      return as(std::int64_t{});
    case ElementType::u64:
      return as(std::uint64_t{});
    case ElementType::i32:
      return as(std::int32_t{});
    case ElementType::u32:
      return as(std::uint32_t{});
    case ElementType::i16:
      return as(std::int16_t{});
    case ElementType::u16:
      return as(std::uint16_t{});
    case ElementType::i8:
      return as(std::int8_t{});
    case ElementType::u8:
    case ElementType::boolean:
      return as(std::uint8_t{});
    default:
      return false;
  }
}

}  // namespace detail

SINTER_NAMESPACE_END
