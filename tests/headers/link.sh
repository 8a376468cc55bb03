#!/bin/sh
# SPDX-License-Identifier: MIT
# link.sh NVCC ARCHITECTURE FOLDER FLAG.. SOURCE..: compiles .cu files, each from the cache of $CMAKE_CUDA_COMPILER_LAUNCHER if
# there is one, and links them to one program, FOLDER/program; judges what became of each kernel.
set -eu
nvcc=$1 architecture=$2 folder=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$folder"
mkdir -p "$folder"
flags=''
for argument; do
  case $argument in
    -*) flags="$flags $argument" ;;
    *)
      # shellcheck disable=SC2086  # a launcher or nothing, and flags without spaces
      ${CMAKE_CUDA_COMPILER_LAUNCHER-} "$nvcc" -std=c++20 -Werror all-warnings -arch="$architecture" -Xptxas -v $flags \
        -I "$here/../../include" -c "$argument" -o "$folder/$(basename "$argument" .cu).o" >> "$folder/ptxas.log" 2>&1 ||
        { cat "$folder/ptxas.log"; exit 1; }
      ;;
  esac
done
"$nvcc" -arch="$architecture" "$folder"/*.o -o "$folder/program"
awk -f "$here/ptxas.awk" "$folder/ptxas.log"
"$here/needs.sh" "$folder/program"
