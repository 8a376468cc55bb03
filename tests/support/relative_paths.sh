#!/bin/sh
# SPDX-License-Identifier: MIT
# relative_paths.sh FOLDER command..: runs the command in the current folder, which is below FOLDER, with each path in
# FOLDER made relative. So a header precompiled by clang is the same in any folder, and what is compiled with it comes
# from a cache. Paths in the current folder get no dots: clang writes them below /proc/self/cwd into the files of
# dependencies, and Ninja, which drops dots with the names before them, would find no such file and compile all anew.
folder=$1
shift
up=$(pwd | sed "s|^$folder||; s|/[^/]*|../|g")
for argument; do
  shift
  set -- "$@" "$(printf '%s\n' "$argument" | sed "s|$(pwd)/||; s|$folder/|$up|")"
done
exec "$@"
