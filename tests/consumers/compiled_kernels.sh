#!/bin/sh
# SPDX-License-Identifier: MIT
# compiled_kernels.sh CXX FOLDER: that a program takes the kernels of dense layers from sinter::kernels. One that is missing there
# would be compiled by each program without a word.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
compiler=$1 folder=$2
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
flags="-std=c++20 -O1 -march=native -I$root/include"
isa=$(echo '#include <sinter/core/isa.hpp>
sinter_isa SINTER_NATIVE_ISA' | $compiler $flags -x c++ -E - | sed -n 's/^sinter_isa //p')
[ -n "$isa" ] || { echo "wrong: core/isa.hpp does not name the instruction set"; exit 1; }
$compiler $flags -DSINTER_COMPILED -DSINTER_COMPILED_KERNELS="$isa" -c "$root/tests/consumers/compiled_kernels/all_blocks.cpp" -o program.o
$compiler $flags -c "$root/cmake/kernels.cpp" -o kernels.o
$compiler $flags -O0 -DSINTER_COMPILED -c "$root/cmake/compiled.cpp" -o compiled.o
kernels='host_kernels::\(product_of_tiles\|outer_product_of_batch\|batch_weight_gradient\|shared_group_product\|load_contiguous\|load_chosen\|load_sample\|load_samples\|shared_packs_to_rows\|shared_rows\|shared_rows_back\|shared_loss\|rows_to_packs\|sum_of_slots\|add_slots_of\|add_batch_of\|update_numbers\)<'
nm -C --defined-only program.o | grep "$kernels" > own.txt || true
if [ -s own.txt ]; then
  echo "wrong: include/sinter/kernels/host/compiled_kernels.hpp lacks these"
  cut -c 1-300 own.txt
  exit 1
fi
nm -C --undefined-only program.o | grep -q "$kernels" || { echo "wrong: the program takes no kernel from the library"; exit 1; }
$compiler program.o compiled.o kernels.o -pthread -o program
./program
