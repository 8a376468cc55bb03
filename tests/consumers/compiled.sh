#!/bin/sh
# SPDX-License-Identifier: MIT
# compiled.sh FOLDER: SINTER_COMPILED without a build system. One file has the bodies of all functions that name no model, another
# only declares them, a third has those that it calls. Without the first, the linker names what is missing.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
include=$here/../../include
cxx=${CXX:-g++}
mkdir -p "$1"
compile() {
  name=$1 object=$2
  shift 2
  "$cxx" -std=c++20 -Wall -Wextra -Wconversion -Werror -pthread -I "$include" "$@" -c "$here/compiled/$name.cpp" -o "$object"
}
compile implementation "$1/implementation.o"
compile main "$1/main.o" -DSINTER_COMPILED
compile part "$1/part.o"
"$cxx" -pthread "$1/main.o" "$1/part.o" "$1/implementation.o" -o "$1/consumer"
"$1/consumer"

if "$cxx" -pthread "$1/main.o" "$1/part.o" -o "$1/incomplete" 2> "$1/undefined"; then
  echo "linked without the bodies"
  exit 1
fi
grep -q 'undefined.*sinter::v0_1::' "$1/undefined" || { cat "$1/undefined"; exit 1; }

# The Makefile of docs/installing.md, whose precompiled headers g++ must take.
made=$1/make
rm -rf "$made"
mkdir -p "$made"
ln -s "$here/../.." "$made/sinter"
sed -n '/^```make$/,/^```$/{/^```/!p}' "$here/../../docs/installing.md" > "$made/Makefile"
cp "$here/main.cpp" "$made/program.cpp"
cp "$here/compiled/implementation.cpp" "$made/sinter.cpp"
printf '#include <sinter/io.hpp>\n#include <sinter/sinter.hpp>\n' > "$made/headers.hpp"
if ! "$cxx" --version | grep -q clang; then  # which looks for headers.hpp.pch
  make -C "$made" CXX="$cxx -Winvalid-pch -Werror=invalid-pch -DEXPECT_NATIVE"
  "$made/program"
fi

# One .cpp has them all: each .ipp file is among what it includes.
cd "$include"
find sinter -name '*.ipp' | sort > "$1/bodies"
"$cxx" -std=c++20 -I . -M "$here/compiled/implementation.cpp" | tr ' ' '\n' | sed -n 's|.*\(sinter/[^ ]*\.ipp\)$|\1|p' | sort -u > "$1/included"
diff "$1/bodies" "$1/included" || { echo "the lines with < are not included by sinter.hpp with SINTER_IMPLEMENTATION"; exit 1; }
