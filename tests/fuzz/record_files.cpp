// SPDX-License-Identifier: MIT
// libFuzzer target: any bytes in two files, cut into records of any form, are either read by batches, each row once and with
// the numbers of its place, or refused for a reason; also if a file becomes shorter after it was checked. The first 8
// bytes are the form and the options, the others the files.
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <sinter/data/read_ahead.hpp>
#include <sinter/data/record_files.hpp>

namespace {
/// A file in memory, with a path.
struct MemoryFile {
  int handle = memfd_create("records", MFD_CLOEXEC);
  std::string path = "/proc/self/fd/" + std::to_string(handle);
  MemoryFile(const std::uint8_t* data, std::size_t size) {
    if (handle < 0 || write(handle, data, size) != static_cast<ssize_t>(size)) std::abort();
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { close(handle); }
};
void require(bool right) {
  if (!right) std::abort();
}
using Files = sinter::RecordFiles<float, sinter::Shape<2>, std::int16_t>;
constexpr std::size_t label_bytes = 2, row_bytes = 8;
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 8 || size > 4096) return 0;
  const sinter::internal::RecordForm form{data[0] % 48u, data[1] % 64u, data[2] % 64u};
  const std::uint8_t* const bytes = data + 8;
  const std::size_t total = size - 8, first = data[3] * total / 255, second = total - first;
  const std::size_t lost = second * (data[4] % 8u) / 8;  // of the second file, after it has been checked
  const sinter::ReadOptions options{.batch_size = data[5] % 9u,
                                    .seed = data[7],
                                    .shuffle = data[7] % 4 != 0,
                                    .ahead = data[7] / 4 % 4u,
                                    .run = data[6] % 5u};

  const MemoryFile files[] = {{bytes, first}, {bytes + first, second}};
  const bool apart = form.label + label_bytes <= form.inputs || form.inputs + row_bytes <= form.label;
  const bool fits = form.label + label_bytes <= form.size && form.inputs + row_bytes <= form.size && apart;
  const bool whole = fits && first > 0 && second > 0 && first % form.size == 0 && second % form.size == 0;
  bool opened = false, finite = true;
  for (std::size_t at = form.inputs; whole && at + row_bytes <= total; at += form.size) {
    float numbers[2];
    std::memcpy(numbers, bytes + at, row_bytes);
    finite = finite && std::isfinite(numbers[0]) && std::isfinite(numbers[1]);
  }
  try {
    const Files rows({files[0].path, files[1].path}, sinter::Normalize{}, form);
    opened = true;
    require(whole && rows.size() == total / form.size);
    require(ftruncate(files[1].handle, static_cast<off_t>(second - lost)) == 0);
    std::vector<bool> seen(rows.size());
    std::size_t count = 0;
    for (const auto& batch : batches(rows, options)) {
      require(batch.size() > 0 && batch.size() <= options.batch_size);
      for (std::size_t i = 0; i < batch.size(); ++i, ++count) {
        const std::size_t row = batch.rows()[i];
        const std::uint8_t* const record = bytes + row * form.size;
        require(row < rows.size() && !seen[row] && (row + 1) * form.size <= total - lost);
        require(std::memcmp(record + form.label, &batch.targets()[i], label_bytes) == 0);
        require(std::memcmp(record + form.inputs, batch.inputs().row(i), row_bytes) == 0);
        seen[row] = true;
      }
    }
    require(count == rows.size() && finite && lost == 0);
  } catch (const sinter::Error&) {
    require(!opened ? !whole : lost > 0 || !finite || options.batch_size == 0 || options.run == 0);
  }
  return 0;
}
