// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>

#if defined(_WIN32)
#include <io.h>
#else
#include <sys/ioctl.h>
#include <unistd.h>
#endif

#include "sinter/report/terminal.hpp"

#if defined(_WIN32)
// As windows.h declares them, which defines thousands of macros.
struct _CONSOLE_SCREEN_BUFFER_INFO;
extern "C" {
__declspec(dllimport) int __stdcall GetConsoleMode(void*, unsigned long*);
__declspec(dllimport) int __stdcall SetConsoleMode(void*, unsigned long);
__declspec(dllimport) int __stdcall GetConsoleScreenBufferInfo(void*, _CONSOLE_SCREEN_BUFFER_INFO*);
__declspec(dllimport) unsigned __stdcall GetConsoleOutputCP();
}
#endif

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

SINTER_FUNCTION bool is_utf8(std::string_view locale) {
  for (const char* name : {"UTF-8", "utf-8", "UTF8", "utf8"})
    if (locale.find(name) != locale.npos) return true;
  return false;
}

}  // namespace detail

SINTER_COLD SINTER_FUNCTION Terminal Terminal::of(std::FILE* file) {
  Terminal terminal;
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const auto locale = detail::environment(name);
    terminal.unicode = detail::is_utf8(locale);
    if (!locale.empty()) break;
  }
#if defined(_WIN32)
  const int number = _fileno(file);
  void* const handle = number < 0 ? nullptr : reinterpret_cast<void*>(_get_osfhandle(number));
  unsigned long mode;
  terminal.interactive = handle && GetConsoleMode(handle, &mode) != 0;
  struct {  // 11 numbers of a console, of which the sixth and the eighth are the window's left and right
    short numbers[11];
  } console{};
  if (terminal.interactive &&
      GetConsoleScreenBufferInfo(handle, reinterpret_cast<_CONSOLE_SCREEN_BUFFER_INFO*>(&console)) != 0)
    terminal.columns = console.numbers[7] - console.numbers[5] + 1;
  if (terminal.interactive && GetConsoleOutputCP() == 65001) terminal.unicode = true;
  constexpr unsigned long sequences = 4;  // ENABLE_VIRTUAL_TERMINAL_PROCESSING, from Windows 10 on
  const bool colors =
      terminal.interactive && ((mode & sequences) != 0 || SetConsoleMode(handle, mode | sequences) != 0);
#else
  terminal.interactive = isatty(fileno(file)) != 0;
#if defined(TIOCGWINSZ)
  winsize size{};
  if (ioctl(fileno(file), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) terminal.columns = size.ws_col;
#endif
#endif
  const auto kind = detail::environment("TERM");
#if !defined(_WIN32)
  const bool colors = !kind.empty();
#endif
  terminal.color = terminal.interactive && colors && detail::environment("NO_COLOR").empty() && kind != "dumb";
  const int columns = std::atoi(detail::environment("COLUMNS").data());
  if (columns > 0) terminal.columns = columns;
  return terminal;
}

SINTER_NAMESPACE_END
