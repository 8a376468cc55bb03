// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/core/tensor.hpp"
#include "sinter/core/text.hpp"
#include "sinter/data/file.hpp"
#include "sinter/data/read_file.hpp"
#include "sinter/io/npy_header.hpp"
#include "sinter/io/numbers.hpp"

SINTER_NAMESPACE_BEGIN

/// A NumPy array, row-major, of any plain numeric type.
struct NpyArray {
  ElementType type = ElementType::f32;
  std::vector<std::uint64_t> shape;
  std::vector<std::byte> bytes;

  /// All numbers, converted to T; floats that are whole numbers count as integers. Fails, and names the first of them,
  /// if a number is too large for T, or T is an integer type and the number is not whole.
  template <class T>
  std::vector<T> values() const;
  /// The array as rows of a shape: [rows] and then the sizes of S.
  template <class T, class S>
  Tensor<T, S> rows() const;
};

namespace detail {

/// Column-major to row-major.
SINTER_COLD std::vector<std::byte> transposed(std::span<const std::byte> from, std::size_t size,
                                              const std::vector<std::uint64_t>& shape);

/// A stored number as text.
SINTER_COLD std::string number_text(ElementType type, std::span<const std::byte> bytes);
/// Reports the first number of an array that is not representable as T.
template <class T>
[[noreturn]] SINTER_COLD void fail_values(const NpyArray& array) {
  const std::size_t size = bits_of(array.type) / 8;
  std::span<const std::byte> one;
  std::size_t first = 0;
  T value;
  do one = std::span(array.bytes).subspan(size * first++, size);
  while (copy_numbers<T>(array.type, one, reinterpret_cast<std::byte*>(&value)));
  std::vector<std::uint64_t> place = array.shape;
  std::uint64_t rest = first - 1;
  for (std::size_t axis = place.size(); axis-- > 0;) {
    place[axis] = rest % array.shape[axis];
    rest /= array.shape[axis];
  }
  std::string wanted = "numbers of at most " + std::string(name_of(element_type_of<T>));
  if constexpr (std::is_integral_v<T>)
    wanted = joined({"whole numbers from ", std::to_string(std::numeric_limits<T>::min()), " to ",
                     std::to_string(std::numeric_limits<T>::max())});
  fail(joined({"an array of ", name_of(array.type), " of ", shape_text(array.shape), " was asked for its values as ",
               name_of(element_type_of<T>), ", and the one at ", shape_text(place), " is ",
               number_text(array.type, one), ", expected ", wanted, "; ask for a type that holds it, or correct it"}));
}
SINTER_COLD std::vector<std::uint64_t> shape_of_rows(std::size_t rows, Dims dims);
SINTER_COLD void check_rows(const NpyArray& array, Dims dims);
}  // namespace detail

template <class T>
std::vector<T> NpyArray::values() const {
  std::vector<T> all(bytes.size() * 8 / bits_of(type));
  if (!detail::copy_numbers<T>(type, bytes, reinterpret_cast<std::byte*>(all.data()))) detail::fail_values<T>(*this);
  return all;
}
template <class T, class S>
Tensor<T, S> NpyArray::rows() const {
  detail::check_rows(*this, S::dims);
  return Tensor<T, S>(values<T>());
}

/// A .npy file in memory; `name` is what messages call it. Arrays of Python objects are refused.
SINTER_COLD NpyArray parse_npy(std::span<const std::byte> file, std::string_view name = "the npy data");
/// Reads a .npy file. Fails, and says why, if it is invalid.
inline NpyArray read_npy(const std::string& path) { return parse_npy(read_file(path, "npy file"), path); }

/// Numbers under a name, as files hold them; without a shape they are [numbers]. A view of `values`.
template <class T>
NamedTensor named(std::string name, std::span<const T> values, std::vector<std::uint64_t> shape = {}) {
  if (shape.empty()) shape = {values.size()};
  return {std::move(name), element_type_of<T>, std::move(shape), std::as_bytes(values)};
}
/// The same of a tensor, with its shape.
template <class T, class S>
NamedTensor named(std::string name, const Tensor<T, S>& tensor) {
  return named(std::move(name), tensor.values(), detail::shape_of_rows(tensor.rows(), S::dims));
}
/// A .npy file of a tensor.
template <class T, class S>
std::vector<std::byte> npy_bytes(const Tensor<T, S>& tensor) {
  return detail::npy_file(named("", tensor));
}
/// Writes a tensor, whole or not at all; NumPy reads it by `numpy.load`.
template <class T, class S>
void write_npy(const std::string& path, const Tensor<T, S>& tensor) {
  write_file(path, npy_bytes(tensor));
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::named;
using internal::npy_bytes;
using internal::NpyArray;
using internal::parse_npy;
using internal::read_npy;
using internal::write_npy;
}  // namespace sinter

#if SINTER_BODIES
#include "sinter/io/npy.ipp"
#endif
