#!/bin/sh
# SPDX-License-Identifier: MIT
# neon.sh FOLDER: what g++ for aarch64 makes of the inner loops of products, judged by neon.awk. 77: it is not here.
set -eu
here=$(dirname "$0")
if ! aarch64-linux-gnu-g++ --version > /dev/null 2>&1; then
  echo "skipped: no aarch64-linux-gnu-g++ here; ./setup --platforms installs it"
  exit 77
fi
mkdir -p "$1"
for level in -O2 -O3; do
  aarch64-linux-gnu-g++ -std=c++20 $level -I "$here/../../include" -c "$here/neon.cpp" -o "$1/neon.o"
  aarch64-linux-gnu-objdump -d --no-show-raw-insn "$1/neon.o" | awk -f "$here/neon.awk"
done
