// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/io/json_reader.hpp"
#include "sinter/io/named_tensor.hpp"

SINTER_NAMESPACE_BEGIN

/// Texts by name, which a file contains besides its tensors.
using Metadata = std::vector<std::pair<std::string, std::string>>;

/// What a file of tensors holds; the tensors are views of its bytes, or, on a big-endian machine, of copies that this
/// has. A file is: the length N of the header, a little-endian u64; N bytes of JSON, {"name": {"dtype": .., "shape":
/// [..], "data_offsets": [begin, end]}, ..}; the numbers, little-endian and without gaps.
struct TensorFile {
  std::vector<NamedTensor> tensors;  ///< in the order of their numbers in the file
  Metadata metadata;
  std::shared_ptr<const std::vector<std::byte>> reversed;  ///< the copies
};

namespace detail {

inline constexpr std::uint64_t longest_safetensors_header = 100'000'000;  // what others read, too

struct TensorPlace {
  NamedTensor tensor;
  std::uint64_t begin = 0, end = 0;
};

SINTER_COLD ElementType element_type_named(std::string_view given, std::string_view tensor, std::string_view file);

SINTER_COLD TensorPlace read_tensor_place(JsonReader& json, const std::string& name, std::string_view file);

inline constexpr const char* damaged = "; it is truncated, damaged or not a safetensors file: get it again";

/// The header of a file, checked against its length.
SINTER_COLD std::string_view safetensors_header(std::span<const std::byte> file, std::string_view name);

/// The bytes of a tensor that must begin at `at`.
SINTER_COLD std::span<const std::byte> bytes_at(const TensorPlace& place, std::uint64_t at,
                                                std::span<const std::byte> data, std::string_view file);

/// Makes the numbers of a file the machine's, in copies, where the byte order is another.
SINTER_COLD void reverse(TensorFile& file);

}  // namespace detail

/// The tensors of a safetensors file in memory; `name` is what messages call it. All sizes are checked against the
/// length of the file before they are used: fails unless every byte is accounted for, once.
SINTER_COLD TensorFile parse_safetensors(std::span<const std::byte> file,
                                         std::string_view name = "the safetensors data");

/// A safetensors file of these tensors: those that need the strictest alignment first, then by name, as others write
/// it.
SINTER_COLD std::vector<std::byte> safetensors_bytes(const std::vector<NamedTensor>& tensors,
                                                     const Metadata& metadata = {});

SINTER_NAMESPACE_END

namespace sinter {
using internal::parse_safetensors;
using internal::safetensors_bytes;
}  // namespace sinter

#if SINTER_BODIES
#include "sinter/io/safetensors.ipp"
#endif
