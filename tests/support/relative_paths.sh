#!/bin/sh
# SPDX-License-Identifier: MIT
# relative_paths.sh FOLDER command..: runs the command in the current folder, which is below FOLDER, with each path in
# FOLDER made relative. So a header precompiled by clang is the same in any folder, and what is compiled with it comes
# from a cache.
folder=$1
shift
up=$(pwd | sed "s|^$folder||; s|/[^/]*|../|g")
for argument; do
  shift
  set -- "$@" "$(printf '%s\n' "$argument" | sed "s|$folder/|$up|")"
done
exec "$@"
