#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh FOLDER SEEDS: four processes of PyPI's Open MPI 5, of which one or two are killed by signal 9 at SEEDS random moments: those
# that are left end with the weights of one process. Skipped where that MPI lacks. SINTER_ULFM may name the folder of its programs.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
folder=$1 seeds=$2
bin=${SINTER_ULFM:-$root/build/venv_mpi/bin}
[ -x "$bin/mpicxx" ] || { echo "Skipped: no Open MPI 5 in $bin; ./setup --python installs it"; exit 77; }
echo '#include <mpi.h>
#include <mpi-ext.h>
int main() { return MPIX_ERR_PROC_FAILED == 0; }' | "$bin/mpicxx" -x c++ -fsyntax-only - 2> /dev/null ||
  { echo "Skipped: the MPI in $bin has no MPIX_Comm_shrink"; exit 77; }
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_CXX="${CXX:-g++}"
export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1

"$bin/mpicxx" -std=c++20 -O0 -march=native -Wall -Wextra -Werror -D SINTER_KEEP_CALLS -pthread -I "$root/include" -I "$root/tests" \
  "$here/program.cpp" -o program

wrong() { echo "wrong: $*"; cat log; exit 1; }
ranks() {
  timeout -k 5 60 "$bin/mpirun" --with-ft ulfm --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -n 4 ./program "$@" > log 2>&1
}
says() { grep -q "$1" log || wrong "nothing says: $1"; }

ranks conform || wrong "four ranks do not conform"
./program records .
for what in memory file accumulate; do ./program $what . > log 2>&1 || wrong "$what by one process"; done

seed=0 killed=0
while [ $seed -le "$seeds" ]; do  # 0: all go on
  case $((seed % 3)) in 0) what=memory ;; 1) what=file ;; 2) what=accumulate ;; esac
  rm -f rank? log.csv checkpoint*
  ranks $what . $seed || wrong "seed $seed did not end well"
  alive=0
  for weights in rank?; do
    [ -e "$weights" ] || wrong "no rank has ended with seed $seed"
    cmp $what "$weights" || wrong "seed $seed: $weights has other weights than one process"
    alive=$((alive + 1))
  done
  dead=$(grep -c '^killed' log || true)
  [ $((alive + dead)) -ge 4 ] || wrong "seed $seed: of 4 ranks $dead were killed and $alive ended"
  [ $what != memory ] || [ "$(wc -l < log.csv)" = 7 ] || wrong "seed $seed: the log has other epochs"
  says ' left$'
  killed=$((killed + 4 - alive)) seed=$((seed + 1))
done

for what in deal part own backward; do
  ranks $what && wrong "$what ended well without a rank"
  says 'failed: another rank was lost'
done
ranks throw && wrong "a rank that throws ended well"
says 'sinter: rank 1 of 4 failed: no such file'
echo "$killed ranks were killed at $seeds random moments, and the others ended with the weights of one process"
