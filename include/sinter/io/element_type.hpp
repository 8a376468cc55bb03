// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// What the numbers of a stored tensor are. Those of 8 bits and less have no arithmetic here, but can be carried.
enum class ElementType : std::uint8_t {
  f64,
  i64,
  u64,
  c64,
  f32,
  i32,
  u32,
  f16,
  bf16,
  i16,
  u16,
  boolean,
  u8,
  i8,
  f8_e5m2,
  f8_e4m3,
  f8_e8m0,
  f8_e4m3fnuz,
  f8_e5m2fnuz,
  f6_e2m3,
  f6_e3m2,
  f4
};

struct ElementTypeFacts {
  std::string_view name;  // in a file
  unsigned bits;
};
/// In the order of the enumerators; those that need the strictest alignment come first.
inline constexpr std::array<ElementTypeFacts, 22> element_types{{
    {"F64", 64},        {"I64", 64},    {"U64", 64},    {"C64", 64},    {"F32", 32},    {"I32", 32},
    {"U32", 32},        {"F16", 16},    {"BF16", 16},   {"I16", 16},    {"U16", 16},    {"BOOL", 8},
    {"U8", 8},          {"I8", 8},      {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8},
    {"F8_E5M2FNUZ", 8}, {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"F4", 4},
}};

constexpr std::string_view name_of(ElementType type) { return element_types[static_cast<std::size_t>(type)].name; }
constexpr unsigned bits_of(ElementType type) { return element_types[static_cast<std::size_t>(type)].bits; }

/// The type that holds a C++ number.
template <class T>
inline constexpr ElementType element_type_of = [] {
  static_assert(sizeof(T) == 0,
                "sinter: numbers of this type are not stored; use float, double or a fixed-width integer");
  return ElementType::f32;
}();
template <>
inline constexpr ElementType element_type_of<double> = ElementType::f64;
template <>
inline constexpr ElementType element_type_of<float> = ElementType::f32;
template <>
inline constexpr ElementType element_type_of<bool> = ElementType::boolean;
template <>
inline constexpr ElementType element_type_of<std::int64_t> = ElementType::i64;
template <>
inline constexpr ElementType element_type_of<std::uint64_t> = ElementType::u64;
template <>
inline constexpr ElementType element_type_of<std::int32_t> = ElementType::i32;
template <>
inline constexpr ElementType element_type_of<std::uint32_t> = ElementType::u32;
template <>
inline constexpr ElementType element_type_of<std::int16_t> = ElementType::i16;
template <>
inline constexpr ElementType element_type_of<std::uint16_t> = ElementType::u16;
template <>
inline constexpr ElementType element_type_of<std::int8_t> = ElementType::i8;
template <>
inline constexpr ElementType element_type_of<std::uint8_t> = ElementType::u8;

SINTER_NAMESPACE_END
