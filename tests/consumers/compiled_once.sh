#!/bin/sh
# SPDX-License-Identifier: MIT
# compiled_once.sh FOLDER MNIST: a model's kernels are compiled in one file, and used from others, which have none of their own.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$1"
for name in postal judge main; do
  "${CXX:-g++}" -std=c++20 -O1 -I "$root/include" -pthread -c "$root/tests/consumers/compiled_once/$name.cpp" -o "$1/$name.o"
done
kernels() { nm -C --defined-only "$1" | grep -c 'batch_weight_gradient\|multiply_tiles' || true; }
[ "$(kernels "$1/postal.o")" -gt 0 ] || { echo "postal.o has no kernels"; exit 1; }
for name in judge main; do
  found=$(kernels "$1/$name.o")
  [ "$found" = 0 ] || { echo "$name.o has $found kernels of its own"; exit 1; }
done
"${CXX:-g++}" -pthread "$1/postal.o" "$1/judge.o" "$1/main.o" -o "$1/consumer"
"$1/consumer" "$2"
