#!/bin/sh
# SPDX-License-Identifier: MIT
# nvcc.sh NVCC ARCHITECTURES FOLDER SOURCE..: compiles the device code of .cu files for architectures with as much memory for a
# block, such as "sm_86 sm_89": to PTX for the first, whose bodies the others have too, and from there for each. Judges what
# became of each kernel. Needs no GPU.
set -eu
nvcc=$1 architectures=$2 folder=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)
first=${architectures%% *}

known='' result=0
for architecture in $architectures; do
  if "$nvcc" --list-gpu-code | grep -qx "$architecture"; then
    known="$known $architecture"
  else
    echo "skipped: $nvcc does not know $architecture; a newer CUDA toolkit does"
    result=77
  fi
done
case "$known " in *" $first "*) ;; *) exit 77 ;; esac

mkdir -p "$folder"
for source; do
  name=$folder/$(basename "$source" .cu)
  "$nvcc" -std=c++20 -Werror all-warnings -arch="$first" -ptx -I "$here/../../include" "$source" -o "$name.ptx" \
    > "$name.log" 2>&1 || { cat "$name.log"; exit 1; }
  for architecture in $known; do
    log=${name}_$architecture.log
    echo "$source for $architecture"
    "$(dirname "$nvcc")/ptxas" -v -arch="$architecture" "$name.ptx" -o "${log%.log}.cubin" > "$log" 2>&1 ||
      { cat "$log"; exit 1; }
    awk -f "$here/ptxas.awk" "$log"
  done
done
exit $result
