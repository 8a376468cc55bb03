// SPDX-License-Identifier: MIT
#pragma once

#include <cstring>

#include "sinter/core/number_text.hpp"
#include "sinter/io/byte_order.hpp"
#include "sinter/io/npy.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION std::vector<std::byte> transposed(std::span<const std::byte> from, std::size_t size,
                                                  const std::vector<std::uint64_t>& shape) {
  std::vector<std::byte> to(from.size());
  std::vector<std::uint64_t> index(shape.size());
  for (std::size_t i = 0; i < from.size() / size; ++i) {
    std::uint64_t at = 0;
    for (std::size_t axis = shape.size(); axis-- > 0;) at = at * shape[axis] + index[axis];
    std::memcpy(to.data() + i * size, from.data() + at * size, size);
    for (std::size_t axis = shape.size(); axis-- > 0 && ++index[axis] == shape[axis];) index[axis] = 0;
  }
  return to;
}

SINTER_FUNCTION std::string number_text(ElementType type, std::span<const std::byte> bytes) {
  const auto as = [&]<class T>(T value) {
    const bool fits = copy_numbers<T>(type, bytes, reinterpret_cast<std::byte*>(&value));
    if constexpr (std::is_floating_point_v<T>)
      return exact_text(value);
    else
      return fits ? std::to_string(value) : std::string();
  };
  if (is_floating(type)) return as(double{});
  const std::string text = as(std::int64_t{});
  return text.empty() ? as(std::uint64_t{}) : text;
}

SINTER_FUNCTION std::vector<std::uint64_t> shape_of_rows(std::size_t rows, Dims dims) {
  std::vector<std::uint64_t> shape{rows};
  for (const int size : {dims.channels, dims.height, dims.width}) shape.push_back(static_cast<std::uint64_t>(size));
  if (dims.rank == 2) shape.erase(shape.begin() + 2);
  shape.resize(static_cast<std::size_t>(dims.rank) + 1);
  return shape;
}

SINTER_FUNCTION void check_rows(const NpyArray& array, Dims dims) {
  const auto wanted = shape_of_rows(array.shape.empty() ? 0 : static_cast<std::size_t>(array.shape[0]), dims);
  if (array.shape == wanted) return;
  fail(joined({"an array of ", shape_text(array.shape), " was asked for rows of ",
               shape_text({wanted.begin() + 1, wanted.end()}), "; reshape it to [rows] and these"}));
}

}  // namespace detail

SINTER_FUNCTION NpyArray parse_npy(std::span<const std::byte> file, std::string_view name) {
  const detail::NpyHeader header = detail::parse_npy_header(file, name);
  if (!header.problem.empty()) fail(header.problem);
  const auto data = file.subspan(header.size);
  std::uint64_t wanted = 0;
  if (!bytes_of(header.type, header.shape, wanted) || wanted != data.size())
    fail(joined({name, " announces ", name_of(header.type), " of ", shape_text(header.shape), ", and ", data.size(),
                 " bytes follow; it is truncated or damaged: write it again"}));
  NpyArray array{header.type, header.shape, {}};
  if (header.column_major)
    array.bytes = detail::transposed(data, bits_of(header.type) / 8, header.shape);
  else
    array.bytes.assign(data.begin(), data.end());
  if (header.big_endian != detail::reverses_numbers) detail::reverse_numbers(header.type, array.bytes);
  return array;
}

SINTER_NAMESPACE_END
