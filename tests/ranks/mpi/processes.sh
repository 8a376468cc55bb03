# SPDX-License-Identifier: MIT
# For scripts with the arguments PROGRAM FOLDER MPIEXEC FLAG: goes to the folder, empty, and starts the program there, also with
# more processes than there are cores, and as root.
program=$1 folder=$2 mpiexec=$3 flag=$4
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none

wrong() { echo "wrong: $*"; cat log; exit 1; }
ranks() { n=$1; shift; timeout -k 5 60 "$mpiexec" "$flag" "$n" "$program" "$@" > log 2>&1; }
