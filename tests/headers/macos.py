# SPDX-License-Identifier: MIT
"""macos.py FOLDER: what PyPI's ziglang, which has the headers of macOS, makes for it: nothing of sinter may lack.

They are not run, and linked but for what comes with macOS: its standard library, which zig would compile for minutes.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

folder = pathlib.Path(sys.argv[1])
root = pathlib.Path(__file__).resolve().parents[2]
folder.mkdir(parents=True, exist_ok=True)
zig = [sys.executable, "-m", "ziglang", "c++"]
linker = "ld64.lld-19"
if not shutil.which(linker):
    print("skipped: no ld64.lld-19; ./setup --platforms installs it")
    sys.exit(77)


def said(*command):
    print("+", *command, flush=True)
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"{done.stdout}\nexit code {done.returncode}: {command[0]}")
    return done.stdout


def compiled(processor, source, *flags):
    warnings = ["-Wall", "-Wextra", "-Wconversion", "-Werror"]
    to = folder / f"{processor}_{pathlib.Path(source).stem}.o"
    said(*zig, "-target", f"{processor}-macos", "-std=c++20", *warnings, "-g0", "-fno-sanitize=undefined",
         "-I", root / "include", *flags, root / source, "-c", "-o", to)
    return to


def link(processor, *objects):
    output = said(linker, "-arch", processor, "-platform_version", "macos", "13.0", "13.0", "-flat_namespace",
                  "-undefined", "warning", "--error-limit=0", *objects, "-o", folder / processor)
    undefined = re.findall(r"undefined symbol: (\S+)", output)
    lacking = [symbol for symbol in undefined if "sinter" in symbol or "digits" in symbol]
    if lacking or not undefined:
        sys.exit(f"not linked for {processor}: {lacking or 'no object was read'}")


version = said(*zig, "--version").split("version ")[1].split(".")[0]
calls = ["-O0", "-D", "SINTER_KEEP_CALLS"]
header = (root / "cmake/model_library.h.in").read_text()
(folder / "digits.h").write_text(header.replace("@name@", "digits"))
library = compiled("aarch64", "tests/consumers/model_library/digits.cpp", *calls, "-D", "SINTER_LIBRARY_NAME=digits")
link("arm64", library, compiled("aarch64", "tests/bitwise/program/parts.cpp", *calls, "-I", folder))
link("arm64", compiled("aarch64", "examples/15_realtime.cpp", *calls))
all_headers = [flag for name in ("io", "sinter", "serve", "ranks") for flag in ("-include", f"sinter/{name}.hpp")]
link("x86_64", compiled("x86_64", "tests/headers/macos_inference.cpp", "-O1", *all_headers))
if platforms := os.environ.get("SINTER_PLATFORMS"):
    row = f"macOS on arm64 and x86-64 | ziglang's clang {version} | not run | not compared\n"
    pathlib.Path(platforms, "macos").write_text(row)
