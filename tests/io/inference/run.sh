#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh CXX MAKE FOLDER FLAG..: MAKE writes headers of weights to FOLDER; a program of them and of sinter/inference.hpp is
# compiled for a plain machine and run. Then what that header includes: no threads, streams or files.
set -eu
cxx=$1 make=$2 folder=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)
include=$here/../../../include
rm -rf "$folder"
mkdir -p "$folder"
"$make" "$folder"
"$cxx" -std=c++20 -O1 "$@" -fno-exceptions -fno-rtti -Wall -Wextra -Werror -I "$include" -I "$folder" -I "$here" \
  -c "$here/use.cpp" -o "$folder/use.o"
"$cxx" "$folder/use.o" -o "$folder/use"
"$folder/use" "$folder/weights.bin"

# What a header includes of those that a small machine does not have.
found() {
  printf '#include <sinter/%s>\n' "$1" > "$folder/one.cpp"
  "$cxx" -std=c++20 -M -I "$include" "$folder/one.cpp" | tr ' \\' '\n\n' | sed 's|.*/||' |
    grep -xE 'thread|stop_token|mutex|shared_mutex|condition_variable|future|iostream|istream|ostream|sstream|fstream|filesystem|stdio_filebuf.h|thread_pool.hpp|file.hpp' |
    sort -u | tr '\n' ' '
}
if [ -n "$(found inference.hpp)" ]; then
  echo "sinter/inference.hpp includes $(found inference.hpp)"
  exit 1
fi
case $(found sinter.hpp) in
  *mutex*thread*) ;;
  *) echo "the control, sinter/sinter.hpp, includes only: $(found sinter.hpp)"; exit 1 ;;
esac

# It has all layers.
grep -q '"sinter/layers/all.hpp"' "$include/sinter/inference.hpp" || { echo "sinter/inference.hpp lacks layers/all.hpp"; exit 1; }
