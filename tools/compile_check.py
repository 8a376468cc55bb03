# SPDX-License-Identifier: MIT
"""Compiles what a converter wrote, and has load() replay the self-test: the option --compile.

CXX is the compiler (g++), CXXFLAGS are flags of your own (-O1). In Python: compiled("Digits", "folder"). Needs nothing but Python, the
compiler and sinter's headers.
"""
import os
import pathlib
import re
import shlex
import subprocess
import tempfile

from layer_graph import Refused, require
from quoting import INCLUDE

PROGRAM = """#include HEADER

#include <cstdio>
#include <sinter/io.hpp>
#include <sinter/sinter.hpp>

int main(int, char** argv) {{
  try {{
    sinter::Network<::{name}> net;
    if (sinter::load(net, argv[1]).self_tested) return 0;
    std::fputs("the file has no self-test", stderr);
  }} catch (const sinter::Error& error) {{
    std::fputs(error.what(), stderr);
  }}
  return 1;
}}
"""
# What a compiler says of a network whose plan takes more steps than it makes at compile time, and the flag that lets it.
LIMITS = {r"constexpr.* operation count exceeds limit": "-fconstexpr-ops-limit=100000000000", r"constexpr.* loop iteration count exceeds": "-fconstexpr-loop-limit=100000000",
          r"constexpr evaluation hit maximum step limit": "-fconstexpr-steps=2147483647", r"constexpr.* exceeds maximum depth": "-fconstexpr-depth=100000",
          r"template instantiation depth exceeds": "-ftemplate-depth=100000"}


def built(command, said=()):
    """Runs a compiler, again with a flag for each limit that it meets: these flags, or Refused."""
    result = subprocess.run([*command, *said], capture_output=True, text=True, errors="replace")
    if result.returncode == 0:
        return list(said)
    flag = next((flag for words, flag in LIMITS.items() if re.search(words, result.stderr) and flag not in said), None)
    if flag:
        return built(command, [*said, flag])
    errors = [line for line in result.stderr.splitlines() if "error" in line or "undefined" in line][:4] or result.stderr.splitlines()[:4]
    raise Refused("what was written does not compile:", *errors)


def compiled(name, folder="."):
    """Compiles FOLDER/NAME.hpp, and NAME.cpp where there is one, and loads FOLDER/NAME.safetensors. Raises Refused for what goes wrong. Gives the
    flags without which the compiler stops at a limit of its own."""
    folder, compiler = pathlib.Path(folder).resolve(), shlex.split(os.environ.get("CXX", "g++"))
    flags = [*compiler, "-std=c++20", *shlex.split(os.environ.get("CXXFLAGS", "-O1")), "-I", str(INCLUDE), "-pthread"]
    with tempfile.TemporaryDirectory() as work:
        source, program = pathlib.Path(work) / "check.cpp", pathlib.Path(work) / "check"
        source.write_text(PROGRAM.format(name=name))
        source.with_name("header.hpp").symlink_to(folder / f"{name}.hpp")
        try:
            more = built([*flags, "-DHEADER=\"header.hpp\"", str(source), "-o", str(program)])
            if (folder / f"{name}.cpp").is_file():
                built([*flags, *more, "-fsyntax-only", str(folder / f"{name}.cpp")])
        except OSError as problem:
            raise Refused(f"the compiler {compiler[0]!r} cannot be run: {problem.strerror}; set CXX to another one") from None
        result = subprocess.run([program, folder / f"{name}.safetensors"], capture_output=True, text=True, errors="replace")
        require(result.returncode == 0, f"what was written compiles, and load() refuses it: {result.stderr.strip() or f'it ends with {result.returncode}'}")
    return more


def checked(name, folder):
    """What a converter says after its work with --compile."""
    more = compiled(name, folder)
    return "compiled it, and load() replayed its self-test" + (f"; give your compiler {' '.join(more)}" if more else "")
