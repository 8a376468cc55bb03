#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# run.sh COMPILER FOLDER HOW FLAG..: three files that each define a struct Net, in programs of one, two and three of them
# in every order, print the same as each alone. HOW is objects, static (each file a static library) or shared.
set -euo pipefail
compiler=$1 folder=$2 how=$3
shift 3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
flags=(-std=c++20 -pthread -I "$here/../../../include" "$@")
[ "$how" != shared ] || flags+=(-fPIC)

compile() { "$compiler" "${flags[@]}" -D SINTER_FILE="$1" -c "$here/network.cpp" -o "file$1.o"; }
compile 1 & first=$!
compile 2 & second=$!
wait $first && wait $second && compile 3
case $how in
  objects) part() { echo "file$1.o"; } ;;
  static)
    for file in 1 2 3; do ar rcs "libfile$file.a" "file$file.o"; done
    part() { echo "libfile$1.a"; }
    ;;
  shared)
    for file in 1 2 3; do "$compiler" "${flags[@]}" -shared "file$file.o" -o "libfile$file.so"; done
    part() { echo "$PWD/libfile$1.so"; }
    ;;
  *) echo "run.sh: \"$how\" was given; expected objects, static or shared" >&2; exit 2 ;;
esac

wrong=0
for order in 1 2 3 '1 2' '2 1' '1 3' '3 1' '2 3' '3 2' '1 2 3' '1 3 2' '2 1 3' '2 3 1' '3 1 2' '3 2 1'; do
  prints='' parts=()
  for file in $order; do
    prints="$prints, print<$file>()"
    parts+=("$(part "$file")")
  done
  "$compiler" "${flags[@]}" -D "SINTER_PRINT=${prints#, }" "$here/main.cpp" "${parts[@]}" -Wl,-rpath,"$PWD" -o program
  ./program > "printed_${order// /_}.txt"
  for file in $order; do cat "printed_$file.txt"; done > expected.txt
  cmp -s expected.txt "printed_${order// /_}.txt" || {
    echo "files $order in one program print something else than each alone:"
    diff expected.txt "printed_${order// /_}.txt" || wrong=1
  }
done
grep -q '^int8 [-0-9]' printed_3.txt && ! cmp -s <(tail -n +2 printed_1.txt) <(tail -n +2 printed_2.txt)  # they printed, and differ
exit $wrong
