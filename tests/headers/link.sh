#!/bin/sh
# SPDX-License-Identifier: MIT
# link.sh NVCC ARCHITECTURE FOLDER SOURCE..: compiles .cu files and links them to one program, FOLDER/program; judges what
# became of each kernel.
set -eu
nvcc=$1 architecture=$2 folder=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$folder"
mkdir -p "$folder"
"$nvcc" -std=c++20 -Werror all-warnings -arch="$architecture" --threads 2 -Xptxas -v -I "$here/../../include" "$@" \
  -o "$folder/program" > "$folder/ptxas.log" 2>&1 || { cat "$folder/ptxas.log"; exit 1; }
awk -f "$here/ptxas.awk" "$folder/ptxas.log"
"$here/needs.sh" "$folder/program"
