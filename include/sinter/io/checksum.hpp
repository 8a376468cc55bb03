// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/core/macros.hpp"
#include "sinter/io/safetensors.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

inline constexpr std::string_view key_checksum = "sinter.checksum", key_checkpoint = "sinter.checkpoint";

SINTER_COLD std::string find_text(const Metadata& metadata, std::string_view key);

/// The checksum of a file: of the numbers of its tensors, and of its metadata or, of a checkpoint, of what that says of
/// the training. It does not depend on the order of either.
SINTER_COLD std::string checksum_of(const Metadata& metadata, const std::vector<NamedTensor>& tensors);

/// A safetensors file with its checksum.
SINTER_COLD std::vector<std::byte> bytes_with_checksum(const std::vector<NamedTensor>& tensors, Metadata metadata);

/// Fails if a file has another checksum than the one that it was written with, which other programs leave out. `remedy`
/// ends the message.
SINTER_COLD void check_checksum(const TensorFile& from, std::string_view file, std::string_view remedy);

}  // namespace detail

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/io/checksum.ipp"
#endif
