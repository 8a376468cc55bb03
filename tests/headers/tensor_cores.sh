#!/bin/sh
# SPDX-License-Identifier: MIT
# tensor_cores.sh NVCC FOLDER: products of TF32 and BF16 use tensor cores where an architecture has them, and compile without
# spills. Needs no GPU.
set -eu
nvcc=$1 folder=$2
here=$(cd "$(dirname "$0")" && pwd)
source=$here/tensor_cores.cu
mkdir -p "$folder"

for architecture in sm_75 sm_80 sm_90; do
  "$nvcc" -std=c++20 -Werror all-warnings -arch=$architecture -ptx -I "$here/../../include" "$source" \
    -o "$folder/$architecture.ptx"
  tf32=$(grep -c 'mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32' "$folder/$architecture.ptx" || true)
  bf16=$(grep -c 'mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32' "$folder/$architecture.ptx" || true)
  echo "$architecture: $tf32 products of TF32, $bf16 of BF16"
  case $architecture in
    sm_75) [ "$tf32" = 0 ] && [ "$bf16" = 0 ] ;;
    *) [ "$tf32" -gt 0 ] && [ "$bf16" -gt 0 ] ;;
  esac
done

"$(dirname "$nvcc")/ptxas" -v -arch=sm_90 "$folder/sm_90.ptx" -o "$folder/sm_90.cubin" > "$folder/sm_90.log" 2>&1 ||
  { cat "$folder/sm_90.log"; exit 1; }
awk -f "$here/ptxas.awk" "$folder/sm_90.log"
