# SPDX-License-Identifier: MIT
"""Text of files and users, where a program is written or read: as a literal or a comment of C++, as a name, and in messages.

Whatever is written into a header goes through here. Needs nothing but Python.
"""
import re
import sys

LONGEST_NAME, LONGEST_COMMENT = 255, 100
# The same as in include/sinter/core/cpp_name.ipp, which says which names C++ has.
WORDS_OF_CPP = frozenset((
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class co_await co_return "
    "co_yield compl concept const const_cast consteval constexpr constinit continue decltype default delete do double dynamic_cast else "
    "enum explicit export extern false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr "
    "operator or or_eq private protected public register reinterpret_cast requires return short signed sizeof static static_assert "
    "static_cast struct switch template this thread_local throw true try typedef typeid typename union unsigned using virtual void "
    "volatile wchar_t while xor xor_eq main sinter std").split())
NAMES_OF_HEADERS = frozenset((
    "BUFSIZ DIR EOF FILE HUGE_VAL INFINITY NAN NULL RAND_MAX SEEK_CUR SEEK_END SEEK_SET abort abs access acos acosh alarm aligned_alloc "
    "asctime asin asinh assert atan atan2 atanh atexit atof atoi atol bsearch calloc cbrt ceil chdir clearerr clock close copysign cos "
    "cosh ctime daemon daylight difftime div dup environ erf erfc errno exit exp exp2 expm1 fabs fclose fdim feof ferror fflush fgetc "
    "fgets floor fma fmax fmin fmod fopen fork fprintf fputc fputs fread free freopen frexp fscanf fseek ftell fwrite gamma getc getchar "
    "getenv gets gmtime hypot ilogb index isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper "
    "isxdigit j0 j1 jn kill labs ldexp ldiv lgamma linux link llabs lldiv llrint llround localtime log log10 log1p log2 logb longjmp "
    "lrint lround malloc mblen memchr memcmp memcpy memmove memset mktime modf nan nearbyint nextafter nice offsetof open optarg pause "
    "perror pipe pow printf putc putchar puts qsort raise rand random read realloc remainder remove remquo rename rewind rindex rint "
    "round scalbn scanf select setbuf setjmp setlocale signal sin sinh size_t sleep snprintf sprintf sqrt srand sscanf ssize_t stat "
    "stderr stdin stdout strcat strchr strcmp strcpy strlen strncmp strncpy strstr strtod strtol swab symlink sync system tan tanh tee "
    "tgamma time timezone tmpfile tmpnam tolower toupper trunc truncate uint ungetc unix unlink ulong ushort vprintf wait write y0 y1 yn").split())


def is_name_in_cpp(name):
    """Whether a text can be the name of a struct outside of namespaces."""
    reserved = "__" in name or name.startswith(("_", "SINTER_"))
    return bool(re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII)) and not reserved and name not in WORDS_OF_CPP | NAMES_OF_HEADERS


def quoted(text):
    """As a literal of C++. What is not printed, or what ends a literal or begins a trigraph, is written as its bytes."""
    def spelled(c):
        if c.isprintable() and c not in '"\\?':
            return c
        return "".join(f"\\{byte:03o}" for byte in c.encode("utf-8", "surrogateescape" if "\udc80" <= c <= "\udcff" else "surrogatepass"))
    return '"' + "".join(map(spelled, text)) + '"'


def in_comment(text, longest=LONGEST_COMMENT):
    """As a part of one line of a comment, which it cannot end or continue; of a long text its beginning."""
    text = text if len(text) <= longest else text[:longest] + ".."
    text = "".join(c if c.isprintable() and c != "\\" else "_" for c in text)
    return text.replace("??/", "?_/").replace("*/", "*_").replace("/*", "_*")


def said(text):
    """As a message for a terminal: lines of what can be printed."""
    return "\n".join("".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in line) for line in text.split("\n"))


def say(text, file=None):
    """Prints a message, whatever the terminal can print."""
    file = file or sys.stdout
    encoding = getattr(file, "encoding", None) or "utf-8"
    print(said(text).encode(encoding, "backslashreplace").decode(encoding), file=file)
