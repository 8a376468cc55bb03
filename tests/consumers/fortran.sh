#!/bin/sh
# SPDX-License-Identifier: MIT
# fortran.sh FOLDER STAGE: a solver in Fortran whose rank 0 trains while all ranks compute, with the package installed to STAGE;
# 77 without gfortran or MPI.
set -eu
folder=$1 stage=$2
here=$(cd "$(dirname "$0")" && pwd)
for tool in gfortran mpirun mpif90; do command -v $tool > /dev/null || { echo "no $tool"; exit 77; }; done
rm -rf "$folder"
cmake -S "$here/fortran" -B "$folder" -G Ninja -D CMAKE_PREFIX_PATH="$stage" -D CMAKE_BUILD_TYPE=Release
cmake --build "$folder"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
for ranks in 1 2 4; do
  said=$(mpirun --oversubscribe -n $ranks "$folder/consumer")
  echo "$said"
  case $said in "ranks: $ranks, "*learned) ;; *) exit 1 ;; esac
done
