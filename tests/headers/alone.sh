#!/bin/sh
# SPDX-License-Identifier: MIT
# alone.sh NVCC CXX: every header of the Cuda device alone, and twice, by the host's compiler as the tests compile them. The
# executor, which is nvcc's alone, is part of all that nvcc compiles. Thrust by its system for CPUs.
set -eu
nvcc=$1 cxx=$2
include=$(cd "$(dirname "$0")/../../include" && pwd)
cuda=$(dirname "$(dirname "$(readlink -f "$(command -v "$nvcc")")")")
[ -d "$cuda/include" ] || cuda=$cuda/targets/x86_64-linux
found=0
for header in $(cd "$include" && find . -name '*.cuh' ! -name executor.cuh | sort); do
  case $header in *nccl.cuh) [ -f "$cuda/include/nccl.h" ] || continue ;; esac
  echo "$header"
  printf '#include "%s"\n#include "%s"\n' "${header#./}" "${header#./}" |
    "$cxx" -std=c++20 -fsyntax-only -Werror -Wall -Wextra -DSINTER_KERNELS_ON_HOST \
      -DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP -I "$include" -isystem "$cuda/include" -isystem "$cuda/include/cccl" -x c++ -
  found=$((found + 1))
done
[ "$found" -gt 10 ] || { echo "$found headers found"; exit 1; }
