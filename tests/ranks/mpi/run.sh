#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh PROGRAM FOLDER MPIEXEC FLAG: what processes of MPI do, by 1 to 4 of them, also more than there are cores, and as root.
set -eu
. "$(dirname "$0")/processes.sh"
says() { grep -q "$1" log || wrong "nothing says: $1"; }

"$program" alone "$folder/alone" > log
for n in 1 2 3 4; do
  ranks $n train "$folder/$n" || wrong "train on $n ranks"
  says "^$n ranks conform"
  cmp alone $n || wrong "$n ranks have other weights than one process"
done

"$program" file_alone alone.file > log
for n in 2 3; do
  ranks $n file $n.file || wrong "records of a file on $n ranks"
  cmp alone.file $n.file || wrong "$n ranks that read a file have other weights than one process"
done

"$program" members_alone alone.m > log
for n in 1 3; do
  ranks $n members $n.m || wrong "members on $n ranks"
  for m in 0 1 2; do cmp alone.m$m $n.m$m || wrong "member $m of $n ranks has other weights"; done
done
ranks 4 groups groups.m || wrong "members on groups of ranks"
for m in 0 1 2; do cmp alone.m$m groups.m$m || wrong "member $m of groups has other weights"; done

ranks 3 stop run || wrong "SIGTERM"
says 'stopped: ended by SIGTERM (after 80 rows of epoch 3)'
says 'stopped: another rank asked for it'
ranks 2 resume run || wrong "resume"
cmp alone run.weights || wrong "a run that was ended by a signal and resumed has other weights"
"$mpiexec" "$flag" 2 "$program" long outside > log 2>&1 &
started=$! seconds=0
until [ -e outside.begun ] || [ $seconds = 30 ]; do sleep 1; seconds=$((seconds + 1)); done
sleep 1
kill -USR1 $started # which mpirun hands on to its processes
while kill -0 $started 2> /dev/null && [ $seconds -lt 60 ]; do sleep 1; seconds=$((seconds + 1)); done
kill -TERM $started 2> /dev/null && wrong "SIGUSR1 did not end them"
wait $started || wrong "SIGUSR1"
says 'stopped: ended by SIGUSR1'
[ -e outside ] || wrong "no checkpoint after SIGUSR1"

ranks 3 exit && wrong "a rank that calls exit ended well"
ranks 3 kill && wrong "a rank that was killed ended well"
ranks 2 early && wrong "a rank that ends before the others ended well"
says 'rank 0 of 2 failed: it waited for rank 1 for 2 s'
ranks 3 deal && wrong "a rank that throws in work that was dealt ended well"
says 'failed: the last one is bad'
ranks 3 throw && wrong "a rank that throws ended well"
says 'sinter: rank 2 of 3 failed: no such file'
ranks 3 caught && wrong "a rank that throws and catches ended well"
says 'caught: no such file'
ranks 2 lag && wrong "a rank that waits too long ended well"
says 'sinter: rank 1 of 2 failed: it waited for rank 0 for 2 s; all ranks are to make the same calls'
"$program" busy > log || wrong "a limit of 1 s was missed where each turn of the wait takes 10 ms"
ranks 4 lag_of_part && wrong "a rank that waits too long for another of its part ended well"
says 'sinter: rank 3 of 4 failed: it waited for rank 2 for 2 s'
ranks 2 late || wrong "a message that came late went to memory of the program"
says 'an exchange of these ranks has failed before'
ranks 3 handled || wrong "an exception that a program handled ended it"
ranks 2 differ && wrong "ranks that make different calls ended well"
says 'all ranks are to make the same calls with the same options'
"$program" too_early > log 2>&1 && wrong "MPI had not begun"
says 'MPI is not initialised: call MPI_Init first, or give Mpi the arguments of main'
if "$mpiexec" --version 2>&1 | grep -q 'Open MPI'; then
  PMI_SIZE=2 "$program" throw > log 2>&1 && wrong "it was alone"
  says 'the launcher started 2 processes (PMI_SIZE), and this one is alone in its world'
fi
echo "ranks of MPI work"
