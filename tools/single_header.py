#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Joins headers of sinter into one file, for places that take no folder: a game engine's tree, Compiler Explorer, an email.

    single_header.py OUTPUT [HEADER..]

    single_header.py sinter.hpp                               sinter/sinter.hpp and sinter/io.hpp
    single_header.py inference.hpp sinter/inference.hpp       another one, or several
"""
import argparse
import pathlib
import re
import sys

ROOT = next((folder / "include" for folder in pathlib.Path(__file__).resolve().parents
             if (folder / "include" / "sinter" / "version.hpp").is_file()), None)
INCLUDE = re.compile(r'\s*#\s*include\s*(["<])([^">]+)[">]')
OPENS = re.compile(r"\s*#\s*if")
CLOSES = re.compile(r"\s*#\s*endif")


class Joined:
    """The text of headers, each where it is first included. A header first included under a condition gets a guard, and is
    repeated where another header includes it without the condition. A requested header occurs once, in its order."""

    def __init__(self, headers, guarded):
        self.headers = headers
        self.guarded = guarded  # headers that are included under a condition
        self.conditional = set()
        self.done = set()  # included without a condition
        self.lines = []

    def add(self, header, known=None):
        """`known` are the headers already included under the same condition, None if there is no condition."""
        if header in self.done or known is not None and (header in known or header in self.headers):
            return
        if known is None:
            self.done.add(header)
        else:
            self.conditional.add(header)
            known.add(header)
        depth = 0
        guard = "SINTER_SINGLE_" + re.sub(r"\W", "_", header) if header in self.guarded else None
        if guard:
            self.lines += [f"#ifndef {guard}", f"#define {guard}"]
        self.lines.append(f"// {header}")
        for line in (ROOT / header).read_text(encoding="utf-8").splitlines():
            include = INCLUDE.match(line)
            if OPENS.match(line):
                depth += 1
            elif CLOSES.match(line):
                depth -= 1
            if include and include[2].startswith("sinter/"):
                self.add(include[2], known if known is not None else set() if depth else None)
            elif include and include[2] in self.done:
                continue
            elif not re.match(r"#pragma once|// SPDX-License-Identifier", line):
                self.lines.append(line)
                if include and not depth and known is None:
                    self.done.add(include[2])
        if guard:
            self.lines.append("#endif")


def join(headers):
    guarded = set()
    while True:
        joined = Joined(headers, guarded)
        for header in headers:
            joined.add(header)
        if joined.conditional == guarded:
            return joined.lines
        guarded = joined.conditional


def version():
    text = (ROOT / "sinter/version.hpp").read_text(encoding="utf-8")
    return ".".join(re.findall(r"#define SINTER_VERSION_\w+ (\d+)", text))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("headers", nargs="*", metavar="HEADER", default=["sinter/sinter.hpp", "sinter/io.hpp"])
    arguments = parser.parse_args()
    if ROOT is None:
        sys.exit("single_header.py: sinter's headers are not found beside it: leave this program where it was installed")
    for header in arguments.headers:
        if not (ROOT / header).is_file():
            sys.exit(f"single_header.py: there is no {header}; expected a header below include, such as sinter/inference.hpp")
    names = ", ".join(arguments.headers)
    text = "\n".join([f"// sinter {version()}: {names}, joined by tools/single_header.py", "// SPDX-License-Identifier: MIT",
                      "#pragma once", *join(arguments.headers), ""])
    arguments.output.write_text(re.sub(r"\n{3,}", "\n\n", text), encoding="utf-8")


if __name__ == "__main__":
    main()
