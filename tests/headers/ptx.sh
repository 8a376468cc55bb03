#!/bin/sh
# SPDX-License-Identifier: MIT
# ptx.sh NVCC ARCHITECTURE FOLDER SOURCE stub|body|wide: whether the kernel in a .cu file, compiled for an architecture, is a stub
# that traps, or a body that reads a block's own memory as such and not as generic memory; or all are kernels of the whole grid,
# which read the memory of the device as such.
set -eu
nvcc=$1 architecture=$2 folder=$3 source=$4 wanted=$5
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
ptx=$folder/$(basename "$source" .cu)_$architecture.ptx
"$nvcc" -std=c++20 -arch="$architecture" -ptx -I "$here/../../include" "$source" -o "$ptx"
count() { grep -cE "^[[:space:]]*(@%p[0-9]+ )?$1" "$ptx" || true; }
traps=$(count 'trap;') products=$(count 'fma\.rn\.f32') own=$(count 'ld\.shared')
anywhere=$(count '(ld|st)\.(volatile\.)?(v[24]\.)?[fubs][0-9]')
# From 9.0 on a launch may overlap with the one before, and a kernel has to wait for that one's end.
number=${architecture##*_} waits=$(count 'griddepcontrol\.wait;') kernels=$(grep -c '\.entry' "$ptx" || true)
if [ "${number%[af]}" -ge 90 ] && [ "$wanted" != stub ]; then wanted_waits=$kernels; else wanted_waits=0; fi
[ "$waits" = "$wanted_waits" ] || { echo "refused: $waits of $kernels kernels wait, expected $wanted_waits"; exit 1; }
echo "$architecture: $traps traps, $products multiply-adds, $own loads of a block's own memory, $anywhere of any"
case $wanted in
  stub) [ "$traps" -gt 0 ] && [ "$products" = 0 ] && [ "$own" = 0 ] ;;
  body) [ "$traps" = 0 ] && [ "$products" -gt 0 ] && [ "$own" -gt 0 ] && [ "$anywhere" = 0 ] ;;
  wide) [ "$traps" = 0 ] && [ "$products" -gt 0 ] && [ "$anywhere" = 0 ] ;;
  *) echo "ptx.sh was asked for $wanted, expected stub, body or wide"; exit 2 ;;
esac || { echo "refused: expected a $wanted"; exit 1; }
