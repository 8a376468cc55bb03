#!/bin/sh
# SPDX-License-Identifier: MIT
# nvcc.sh NVCC ARCHITECTURE FOLDER: compiles sinter.hpp inside a .cu, and functors.cu, for one architecture.
# Needs no GPU. Without nvcc: 77, which CTest reports as Skipped.
set -eu
nvcc=$1 architecture=$2 folder=$3
here=$(cd "$(dirname "$0")" && pwd)

if [ ! -x "$nvcc" ]; then
  echo "skipped: no nvcc found; install the CUDA toolkit or put nvcc on PATH"
  exit 77
fi

mkdir -p "$folder"
printf '#include <sinter/sinter.hpp>\n__global__ void nothing() {}\nint main() { nothing<<<1, 1>>>(); }\n' > "$folder/umbrella.cu"
for source in "$folder/umbrella.cu" "$here/functors.cu"; do
  [ -e "$source" ] || continue
  echo "$source for $architecture"
  "$nvcc" -std=c++20 -Werror all-warnings -arch="$architecture" -I "$here/../../include" -I "$here/.." -c "$source" \
    -o "$folder/$(basename "$source" .cu).o"
done
