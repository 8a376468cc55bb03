# SPDX-License-Identifier: MIT
"""Text of files and users, where a program is written or read: as a literal or a comment of C++, as a name, and in messages.

Whatever is written into a header goes through here. Needs nothing but Python, and sinter's headers.
"""
import pathlib
import re
import sys

LONGEST_NAME, LONGEST_COMMENT = 255, 100
# In the repository, or installed to share/sinter.
HEADERS = [pathlib.Path(__file__).resolve().parents[up] / "include" for up in (1, 2)]
INCLUDE = next((path for path in HEADERS if (path / "sinter/core/cpp_name.hpp").is_file()), None)
if INCLUDE is None:
    sys.exit(f"sinter's headers are not in {' or '.join(map(str, HEADERS))}; leave this program where it was installed")
# The lists of names that C++ has, words_of_cpp and so on.
LISTS = {name: frozenset("".join(re.findall('"(.*?)"', text)).split())
         for name, text in re.findall(r"string_view (\w+) =\s*(.*?);", (INCLUDE / "sinter/core/cpp_name.hpp").read_text(), re.DOTALL)}


def is_name_in_cpp(name):
    """Whether a text can be the name of a struct outside of namespaces: the same as in include/sinter/core/cpp_name.hpp."""
    if not re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII) or "__" in name or name.startswith("SINTER_"):
        return False
    base = re.sub(r"(f[0-9x]*|l)$", "", name, count=1)
    of_macros = not re.search("[a-z]", base) and (name.startswith(("SIOC", "TIOC")) or "_" in base and base.split("_")[0] in LISTS["prefixes_of_macros"])
    return not (of_macros or name.endswith(("_t", "_unlocked")) or name.startswith("SYS_") or base in LISTS["functions_of_numbers"] or
                any(name in LISTS[listed] for listed in ("words_of_cpp", "functions_of_numbers", "names_of_c")))


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


def said_in_line(text):
    """As a part of one line of such a message."""
    return said(text).replace("\n", "\\x0a")


def say(text, file=None):
    """Prints a message, whatever the terminal can print."""
    file = file or sys.stdout
    encoding = getattr(file, "encoding", None) or "utf-8"
    print(said(text).encode(encoding, "backslashreplace").decode(encoding), file=file)
