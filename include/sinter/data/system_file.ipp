// SPDX-License-Identifier: MIT
#pragma once

#if defined(_WIN32)
#include <fcntl.h>
#include <io.h>
#include <share.h>
#include <wchar.h>

#include <cstddef>
#endif

#include "sinter/data/system_file.hpp"

#if defined(_WIN32)
// As windows.h declares it, which defines thousands of macros.
extern "C"
    __declspec(dllimport) int __stdcall MultiByteToWideChar(unsigned, unsigned long, const char*, int, wchar_t*, int);
#endif

SINTER_NAMESPACE_BEGIN

namespace detail {

#if defined(_WIN32)
SINTER_FUNCTION std::wstring system_path(const std::string& path) {
  if (path.empty()) return {};
  constexpr unsigned utf8 = 65001, of_program = 0;
  constexpr unsigned long refuse_others = 8;
  const int size = static_cast<int>(path.size());
  for (const unsigned page : {utf8, of_program}) {
    const unsigned long flags = page == utf8 ? refuse_others : 0;
    const int letters = MultiByteToWideChar(page, flags, path.data(), size, nullptr, 0);
    if (letters <= 0) continue;
    std::wstring wide(static_cast<std::size_t>(letters), L'\0');
    MultiByteToWideChar(page, flags, path.data(), size, wide.data(), letters);
    return wide;
  }
  return {};
}

SINTER_FUNCTION int open_locked(const std::string& path, int flags) {
  return _wsopen(system_path(path).c_str(), flags | _O_BINARY | _O_NOINHERIT, _SH_DENYWR, _S_IREAD | _S_IWRITE);
}

SINTER_FUNCTION bool is_writable(const std::string& path) {
  FileStatus status;
  return look_at(path, status) && is_regular(status) && (status.st_mode & _S_IWRITE) != 0;
}
#endif

SINTER_FUNCTION std::FILE* open_file(const std::string& path, const char* mode) {
#if defined(_WIN32)
  return _wfopen(system_path(path).c_str(), system_path(mode).c_str());
#else
  return std::fopen(path.c_str(), mode);
#endif
}

SINTER_FUNCTION bool remove_file(const std::string& path) {
#if defined(_WIN32)
  return _wunlink(system_path(path).c_str()) == 0;
#else
  return std::remove(path.c_str()) == 0;
#endif
}

SINTER_FUNCTION bool look_at(const std::string& path, FileStatus& status) {
#if defined(_WIN32)
  std::wstring wide = system_path(path);
  while (wide.size() > 1 && (wide.back() == L'/' || wide.back() == L'\\') && wide[wide.size() - 2] != L':')
    wide.pop_back();  // it finds no folder with a slash in the end
  return _wstat64(wide.c_str(), &status) == 0;
#else
  return ::stat(path.c_str(), &status) == 0;
#endif
}

SINTER_FUNCTION bool exists(const std::string& path) {
  FileStatus status;
  return look_at(path, status);
}

SINTER_FUNCTION bool is_irregular(const std::string& path) {
  FileStatus status;
  return look_at(path, status) && !is_regular(status);
}

SINTER_FUNCTION bool seek_file(std::FILE* file, std::int64_t to, int from) {
#if defined(_WIN32)
  return _fseeki64(file, to, from) == 0;
#else
  return ::fseeko(file, static_cast<off_t>(to), from) == 0;
#endif
}

SINTER_FUNCTION std::int64_t place_in_file(std::FILE* file) {
#if defined(_WIN32)
  return _ftelli64(file);
#else
  return ::ftello(file);
#endif
}

}  // namespace detail

SINTER_NAMESPACE_END
