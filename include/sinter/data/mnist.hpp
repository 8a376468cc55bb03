// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "sinter/core/macros.hpp"
#include "sinter/data/idx.hpp"
#include "sinter/data/labelled_data.hpp"

SINTER_NAMESPACE_BEGIN

/// Handwritten digits: images [rows][1][28][28] of bytes, labels 0 to 9, normalised by MNIST's mean and deviation.
struct Mnist {
  using Data = LabelledData<std::uint8_t, Shape<1, 28, 28>, std::uint8_t>;
  Data train, test;
};

namespace detail {

/// folder/stem-idx3-ubyte, as the publishers name it, or folder/stem.idx3-ubyte, as some archives do.
SINTER_COLD std::string find_idx(const std::string& folder, const std::string& stem, const std::string& kind);
SINTER_COLD Mnist::Data read_mnist_part(const std::string& folder, const std::string& part);

}  // namespace detail

/// The four files of MNIST (or of a set of the same form: Fashion-MNIST, KMNIST), unpacked, in one folder.
inline Mnist read_mnist(const std::string& folder) {
  return {detail::read_mnist_part(folder, "train"), detail::read_mnist_part(folder, "t10k")};
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::Mnist;
using internal::read_mnist;
}  // namespace sinter

#if SINTER_BODIES
#include "sinter/data/mnist.ipp"
#endif
