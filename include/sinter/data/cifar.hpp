// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sinter/core/macros.hpp"
#include "sinter/data/labelled_data.hpp"
#include "sinter/data/read_file.hpp"

SINTER_NAMESPACE_BEGIN

/// Colour images [rows][3][32][32] of bytes, red, green and blue, with one label each. Normalize scales all channels,
/// of CIFAR-100 too, by CIFAR-10's mean and deviation, 0.4734 and 0.2516 of pixels from 0 to 1.
struct Cifar {
  using Data = LabelledData<std::uint8_t, Shape<3, 32, 32>, std::uint8_t>;
  Data train, test;
};

/// The labels of CIFAR-100 to read: 100 fine classes or 20 coarse ones (superclasses).
enum class Cifar100Labels { fine, coarse };

namespace detail {

/// The form of a publisher's record: some bytes of labels, one of which is used, then 1,024 each of red, green and
/// blue.
struct CifarForm {
  std::size_t labels, label;
  int classes;

  static constexpr std::size_t pixels = 3 * 32 * 32;
  std::size_t record() const { return labels + pixels; }
};

/// Adds the records of a file to `inputs` and `labels`; `name` is what messages call it.
SINTER_COLD void add_cifar(std::span<const std::byte> file, const CifarForm& form, const std::string& name,
                           std::vector<std::uint8_t>& inputs, std::vector<std::uint8_t>& labels);

SINTER_COLD Cifar::Data read_cifar_files(const std::string& folder, const std::vector<std::string>& names,
                                         const CifarForm& form);

}  // namespace detail

/// Reads CIFAR-10, labels 0 to 9, from the binary version's files in a folder: data_batch_1.bin to data_batch_5.bin
/// (50,000 images) and test_batch.bin (10,000). Fails if a file is missing, compressed, truncated or has a label out of
/// range.
Cifar read_cifar10(const std::string& folder);

/// Reads CIFAR-100 from train.bin and test.bin of the binary version: fine labels, 0 to 99, or coarse ones, 0 to 19.
/// Fails as read_cifar10 does.
Cifar read_cifar100(const std::string& folder, Cifar100Labels which = Cifar100Labels::fine);

SINTER_NAMESPACE_END

namespace sinter {
using internal::Cifar;
using internal::Cifar100Labels;
using internal::read_cifar10;
using internal::read_cifar100;
}  // namespace sinter

#if SINTER_BODIES
#include "sinter/data/cifar.ipp"
#endif
