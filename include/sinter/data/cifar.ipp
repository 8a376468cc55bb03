// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

#include "sinter/core/text.hpp"
#include "sinter/data/cifar.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION void add_cifar(std::span<const std::byte> file, const CifarForm& form, const std::string& name,
                               std::vector<std::uint8_t>& inputs, std::vector<std::uint8_t>& labels) {
  if (file.size() >= 2 && file[0] == std::byte{0x1f} && file[1] == std::byte{0x8b})
    fail(joined({name, " is compressed by gzip, expected the unpacked file; run: tar -xzf ", name}));
  if (file.empty() || file.size() % form.record() != 0)
    fail(joined({name, " holds ", file.size(), " bytes, expected records of ", form.record(),
                 " (the binary version of the set); it is truncated or another file: fetch it again"}));
  const std::size_t records = file.size() / form.record();
  inputs.reserve(inputs.size() + records * CifarForm::pixels);
  labels.reserve(labels.size() + records);
  for (std::size_t i = 0; i < records; ++i) {
    const auto record = file.subspan(i * form.record(), form.record());
    const auto label = static_cast<std::uint8_t>(record[form.label]);
    if (label >= form.classes)
      fail(
          joined({"record ", i, " of ", name, " has the class ", std::size_t{label}, ", expected 0 to ",
                  static_cast<std::size_t>(form.classes - 1), "; the file is damaged or another one: fetch it again"}));
    labels.push_back(label);
    const auto* pixels = reinterpret_cast<const std::uint8_t*>(record.data() + form.labels);
    inputs.insert(inputs.end(), pixels, pixels + CifarForm::pixels);
  }
}

SINTER_FUNCTION Cifar::Data read_cifar_files(const std::string& folder, const std::vector<std::string>& names,
                                             const CifarForm& form) {
  const std::string set = form.labels == 1 ? "CIFAR-10" : "CIFAR-100";
  const std::string inner = form.labels == 1 ? "cifar-10-batches-bin" : "cifar-100-binary";
  std::vector<std::uint8_t> inputs, labels;
  for (const std::string& name : names) {
    const std::string path = folder + "/" + name;
    if (!detail::exists(folder))
      fail(joined({"the folder ", folder, " does not exist, expected one with the files of ", set, " (", name,
                   ", ..); get them with examples/data/fetch, or check the path"}));
    if (!detail::exists(path)) {
      const std::string stem = name.substr(0, name.rfind('.'));
      if (detail::exists(folder + "/" + inner))
        fail(joined({"the folder ", folder, " has no file ", name, "; give the folder ", folder, "/", inner}));
      if (detail::exists(folder + "/" + stem))
        fail(joined({path.substr(0, path.rfind('.')), " is of the version for Python, expected ", name,
                     " of the binary version; fetch that"}));
      fail(joined({"the folder ", folder, " has no file ", name, ", expected the binary version of ", set,
                   ", unpacked; get it with examples/data/fetch, or check the path"}));
    }
    add_cifar(read_file(path, set + " file"), form, path, inputs, labels);
  }
  return {std::move(inputs), std::move(labels), Normalize::pixels(0.4734f, 0.2516f)};
}

}  // namespace detail

SINTER_FUNCTION Cifar read_cifar10(const std::string& folder) {
  const detail::CifarForm form{1, 0, 10};
  std::vector<std::string> batches;
  for (int i = 1; i <= 5; ++i) batches.push_back("data_batch_" + std::to_string(i) + ".bin");
  return {detail::read_cifar_files(folder, batches, form), detail::read_cifar_files(folder, {"test_batch.bin"}, form)};
}

SINTER_FUNCTION Cifar read_cifar100(const std::string& folder, Cifar100Labels which) {
  const bool fine = which == Cifar100Labels::fine;
  const detail::CifarForm form{2, fine ? std::size_t{1} : 0, fine ? 100 : 20};
  return {detail::read_cifar_files(folder, {"train.bin"}, form), detail::read_cifar_files(folder, {"test.bin"}, form)};
}

SINTER_NAMESPACE_END
