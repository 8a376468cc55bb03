#!/bin/sh
# SPDX-License-Identifier: MIT
# pipeline.sh PROGRAM FOLDER MPIEXEC FLAG: a network whose stages are in 1 to 4 processes.
set -eu
program=$1 folder=$2 mpiexec=$3 flag=$4
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none

wrong() { echo "wrong: $*"; cat log; exit 1; }
ranks() { n=$1; shift; timeout -k 5 60 "$mpiexec" "$flag" "$n" "$program" "$@" > log 2>&1 || wrong "$*, $n processes"; }

for n in 1 2 3; do
  ranks $n train $n
  cmp 1 $n || wrong "$n processes have other weights than one"
done
ranks 3 half resumed
ranks 2 resume resumed
cmp 1 resumed || wrong "a run of 3 processes that 2 resumed has other weights"

# A network that is too large for one process.
ranks 4 memory -
grep -q '^trained by 4 processes' log || wrong "4 processes had not enough memory"
ranks 1 memory -
grep -q '^no memory' log || wrong "one process had enough memory: the test shows nothing"
echo "a pipeline of MPI works"
