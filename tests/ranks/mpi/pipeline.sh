#!/bin/sh
# SPDX-License-Identifier: MIT
# pipeline.sh PROGRAM FOLDER MPIEXEC FLAG: a network whose stages or columns are in 1 to 4 processes.
set -eu
. "$(dirname "$0")/processes.sh"
trained() { ranks "$@" || wrong "$*"; }

for n in 1 2 3; do
  trained $n train $n
  cmp 1 $n || wrong "$n processes have other weights than one"
done
trained 3 half resumed
trained 2 resume resumed
cmp 1 resumed || wrong "a run of 3 processes that 2 resumed has other weights"

# Wide layers in parts.
trained 1 undivided undivided
for n in 1 2 3; do
  trained $n columns columns
  cmp undivided columns || wrong "$n processes with columns have other weights than the undivided network"
done

# A network that is too large for one process.
for what in memory memory_columns; do
  trained 4 $what -
  grep -q '^trained by 4 processes' log || wrong "4 processes had not enough memory: $what"
  trained 1 $what -
  grep -q '^no memory' log || wrong "one process had enough memory: $what shows nothing"
done
echo "stages and columns of MPI work"
