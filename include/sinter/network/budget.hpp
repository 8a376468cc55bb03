// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "sinter/core/isa.hpp"
#include "sinter/kernels/host/inference.hpp"
#include "sinter/model/program.hpp"
#include "sinter/network/model_of.hpp"
#include "sinter/network/precision.hpp"
#include "sinter/network/stored.hpp"

SINTER_NAMESPACE_BEGIN

/// The bytes that a network's parameters and buffers take in memory, each padded to a multiple of 16 numbers: for
/// static_assert. (summary_of<Model>.parameter_bytes counts the parameters without padding, and no buffers.)
template <class ModelType, class Precision = Float32, class Model = detail::ModelOf<ModelType>>
inline constexpr std::size_t parameter_bytes =
    static_cast<std::size_t>(Program<Model>::storage_size) * sizeof(typename Precision::Scalar);

/// The bytes of weights in a given storage, as a constant of the program (the sizeof of what export_header() writes):
/// for static_assert. As float32 they are parameter_bytes.
template <class ModelType, Storage Kind, class Model = detail::ModelOf<ModelType>>
inline constexpr std::size_t stored_bytes = sizeof(StoredFor<Model, detail::NumberOf<Kind>>);

/// The bytes of a workspace for batches of up to Rows rows on the host, outputs included. They depend on the
/// instruction set.
template <class ModelType, std::size_t Rows, class Precision = Float32, class Isa = isa::Native,
          class Model = detail::ModelOf<ModelType>>
inline constexpr std::size_t workspace_bytes = [] {
  static_assert(Rows > 0, "sinter: a workspace has at least 1 row");
  using Inference = HostInference<Model, typename Precision::Scalar, Isa>;
  return (typename Inference::Memory(Rows).size + Rows * Inference::outputs) * sizeof(typename Precision::Scalar);
}();

SINTER_NAMESPACE_END

namespace sinter {
using internal::parameter_bytes;
using internal::stored_bytes;
using internal::workspace_bytes;
}  // namespace sinter
