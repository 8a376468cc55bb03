#!/bin/sh
# SPDX-License-Identifier: MIT
# ranks.sh NAME THREADS MPI MPIEXEC FLAG ARGUMENT..: what an example says of its networks is the same by 3 threads and by 2
# processes: 17_ranks the sum of the weights' bits, 18_sweep all losses.
set -eu
name=$1 threads=$2 processes=$3 mpiexec=$4 flag=$5
shift 5
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none
same_part() {
  if [ "$name" = 17_ranks ]; then tail -n 1 | sed 's/.* //'; else grep '  [0-9][.][0-9]*$'; fi
}
by_threads=$("$threads" --ranks 3 "$@" | same_part)
by_processes=$("$mpiexec" "$flag" 2 "$processes" "$@" | same_part)
printf '%s\n%s\n' "$by_threads" "$by_processes"
[ -n "$by_threads" ] && [ "$by_threads" = "$by_processes" ] || { echo "wrong: they differ"; exit 1; }
