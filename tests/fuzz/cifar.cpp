// SPDX-License-Identifier: MIT
// libFuzzer target: any bytes are either whole records of CIFAR's with classes that there are, or refused. The pictures
// are made from the bytes, which would have to be many otherwise.
#include <cstdlib>
#include <sinter/data/cifar.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const sinter::internal::detail::CifarForm forms[] = {{1, 0, 10}, {2, 1, 100}, {2, 0, 20}};
  std::vector<std::byte> file;  // the byte 255 represents 1,023 of them
  for (std::size_t i = 0; i < size && file.size() < 20'000; ++i)
    file.insert(file.end(), data[i] == 255 ? 1023 : 1, std::byte{data[i]});
  for (const auto& form : forms) try {
      std::vector<std::uint8_t> inputs, labels;
      sinter::internal::detail::add_cifar(file, form, "the data", inputs, labels);
      if (labels.empty() || inputs.size() != 3072 * labels.size()) std::abort();
      if (file.size() != labels.size() * form.record()) std::abort();
      for (const auto label : labels)
        if (label >= form.classes) std::abort();
    } catch (const sinter::Error&) {
    }
  return 0;
}
