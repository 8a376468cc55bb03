#!/bin/sh
# SPDX-License-Identifier: MIT
# nvcc.sh NVCC ARCHITECTURE FOLDER SOURCE..: compiles the device code of .cu files for one architecture, and judges what
# became of each kernel. Needs no GPU.
set -eu
nvcc=$1 architecture=$2 folder=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)

if ! "$nvcc" --list-gpu-code | grep -qx "$architecture"; then
  echo "skipped: $nvcc does not know $architecture; a newer CUDA toolkit does"
  exit 77
fi
mkdir -p "$folder"
for source; do
  log=$folder/$(basename "$source" .cu).log
  echo "$source for $architecture"
  "$nvcc" -std=c++20 -Werror all-warnings -arch="$architecture" -cubin -Xptxas -v -I "$here/../../include" "$source" \
    -o "${log%.log}.cubin" > "$log" 2>&1 || { cat "$log"; exit 1; }
  awk -f "$here/ptxas.awk" "$log"
done
