// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/cpp_name.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// A name in a list of names with spaces between them.
SINTER_FUNCTION bool is_listed(std::string_view name, std::string_view names) {
  for (std::size_t at = 0; (at = names.find(name, at)) != names.npos; ++at) {
    const std::size_t end = at + name.size();
    if ((at == 0 || names[at - 1] == ' ') && (end == names.size() || names[end] == ' ')) return true;
  }
  return false;
}

inline constexpr std::string_view words_of_cpp =
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class "
    "co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype "
    "default delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline int "
    "long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register "
    "reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch template this "
    "thread_local throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor "
    "xor_eq main sinter std";
inline constexpr std::string_view names_of_headers =
    "BUFSIZ DIR EOF FILE HUGE_VAL INFINITY NAN NULL RAND_MAX SEEK_CUR SEEK_END SEEK_SET abort abs access acos acosh "
    "alarm aligned_alloc asctime asin asinh assert atan atan2 atanh atexit atof atoi atol bsearch calloc cbrt ceil "
    "chdir clearerr clock close copysign cos cosh ctime daemon daylight difftime div dup environ erf erfc errno exit "
    "exp exp2 expm1 fabs fclose fdim feof ferror fflush fgetc fgets floor fma fmax fmin fmod fopen fork fprintf fputc "
    "fputs fread free freopen frexp fscanf fseek ftell fwrite gamma getc getchar getenv gets gmtime hypot ilogb index "
    "isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit j0 j1 jn kill "
    "labs ldexp ldiv lgamma linux link llabs lldiv llrint llround localtime log log10 log1p log2 logb longjmp lrint "
    "lround malloc mblen memchr memcmp memcpy memmove memset mktime modf nan nearbyint nextafter nice offsetof open "
    "optarg pause perror pipe pow printf putc putchar puts qsort raise rand random read realloc remainder remove "
    "remquo "
    "rename rewind rindex rint round scalbn scanf select setbuf setjmp setlocale signal sin sinh size_t sleep snprintf "
    "sprintf sqrt srand sscanf ssize_t stat stderr stdin stdout strcat strchr strcmp strcpy strlen strncmp strncpy "
    "strstr strtod strtol swab symlink sync system tan tanh tee tgamma time timezone tmpfile tmpnam tolower toupper "
    "trunc truncate uint ungetc unix unlink ulong ushort vprintf wait write y0 y1 yn";

}  // namespace detail

SINTER_FUNCTION bool is_name_in_cpp(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (name.empty() || !is_letter(name[0])) return false;
  for (const char c : name)
    if (!is_letter(c) && !(c >= '0' && c <= '9')) return false;
  const bool reserved = name.find("__") != name.npos || name[0] == '_' || name.starts_with("SINTER_");
  return !reserved && !detail::is_listed(name, detail::words_of_cpp) &&
         !detail::is_listed(name, detail::names_of_headers);
}

SINTER_NAMESPACE_END
