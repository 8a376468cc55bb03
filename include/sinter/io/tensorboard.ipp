// SPDX-License-Identifier: MIT
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#if defined(_WIN32)
#include <filesystem>
#include <system_error>
#else
#include <sys/stat.h>
#endif

#include "sinter/core/wall_clock.hpp"
#include "sinter/io/crc32c.hpp"
#include "sinter/io/tensorboard.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION bool make_folders(const std::string& path) {
#if defined(_WIN32)
  std::error_code error;
  std::filesystem::create_directories(system_path(path), error);
  errno = error.default_error_condition().value();
  return !error;
#else
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    const int made = ::mkdir(part.c_str(), 0777);
    if (made != 0 && errno != EEXIST) return false;
    if (end == path.npos) return true;
  }
#endif
}

SINTER_FUNCTION std::string tensorflow_record(std::string_view bytes) {
  std::string record;
  const auto put = [&](std::uint64_t number, int size) {
    for (int i = 0; i < size; ++i) record += static_cast<char>(number >> 8 * i & 255);
  };
  const auto put_sum = [&](std::string_view of) {
    const std::uint32_t sum = crc32c(of);
    put((sum >> 15 | sum << 17) + 0xa282ead8u, 4);
  };
  put(bytes.size(), 8);
  put_sum(std::string(record));
  record += bytes;
  put_sum(bytes);
  return record;
}

}  // namespace detail

SINTER_FUNCTION void TensorBoard::begin() {
  if (folder.empty()) fail("TensorBoard was given no folder; give it one, such as \"runs/first\"");
  if (!detail::make_folders(folder)) detail::fail_to_write("make the folder " + folder, errno);
  const timespec now = detail::wall_clock();
  // TensorBoard goes by "tfevents", and reads the files of a folder in the order of their names.
  char name[64];
  std::snprintf(name, sizeof name, "/events.out.tfevents.%010lld.%09ld", static_cast<long long>(now.tv_sec),
                static_cast<long>(now.tv_nsec));
  file.open(folder + name);
  detail::Protobuf event = event_now();
  event.text(3, "brain.Event:2");
  if (!write(event)) fail(file.problem());
}

SINTER_FUNCTION detail::Protobuf TensorBoard::event_now() {
  const timespec now = detail::wall_clock();
  detail::Protobuf event;
  event.real64(1, static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec));
  return event;
}

SINTER_NAMESPACE_END
