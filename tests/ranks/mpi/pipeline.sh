#!/bin/sh
# SPDX-License-Identifier: MIT
# pipeline.sh PROGRAM FOLDER MPIEXEC FLAG: a network whose stages are in 1 to 4 processes.
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

# A network that is too large for one process.
trained 4 memory -
grep -q '^trained by 4 processes' log || wrong "4 processes had not enough memory"
trained 1 memory -
grep -q '^no memory' log || wrong "one process had enough memory: the test shows nothing"
echo "a pipeline of MPI works"
